// The places of a run: a workspace, and around it a home and victims that no command may change, read or show.
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** In every file that may not be shown. */
export const CANARY = "canary-7f3a91";

export async function makePlaces() {
  const base = fs.mkdtempSync(join(fs.realpathSync(roomy("/dev/shm") ? "/dev/shm" : tmpdir()), "stet-fuzz-"));
  const at = (...names) => join(base, ...names);
  const places = {
    base,
    home: at("home"),
    outside: at("outside"),
    root: at("outside", "work"),
    state: at("outside", "work", ".stet"),
    register: at("register"),
    fifo: at("specials", "fifo"),
    socket: at("specials", "socket"),
    sparse: at("specials", "sparse"),
    remove: () => fs.rmSync(base, { recursive: true, force: true }),
  };
  for (const name of ["home/.ssh", "outside/work", "outside/deep", "specials"])
    fs.mkdirSync(at(name), { recursive: true });
  fs.mkdirSync(places.register, { mode: 0o700 });
  fs.writeFileSync(at("home/.bashrc"), `export A=${CANARY}\n`);
  fs.writeFileSync(at("home/.ssh/id"), `${CANARY}\n`, { mode: 0o600 });
  fs.writeFileSync(at("outside/victim.txt"), `first ${CANARY}\nsecond ${CANARY}\n`);
  fs.writeFileSync(at("outside/deep/x"), `${CANARY}`);
  execFileSync("mkfifo", [places.fifo]);
  const server = createServer().unref();
  await new Promise((resolve) => server.listen(places.socket, resolve));
  fs.closeSync(fs.openSync(places.sparse, "w"));
  fs.truncateSync(places.sparse, 20 * 2 ** 30);
  return places;
}

/** The home and what lies beside the workspace. */
export const outsideOf = ({ home, outside }) => tree(home) + tree(outside, new Set(["work"]));

/** In memory it takes half the time. */
function roomy(directory) {
  try {
    const { bavail, bsize } = fs.statfsSync(directory);
    return bavail * bsize > 2 ** 30;
  } catch {
    return false;
  }
}

/** Outside, and the places in it that are denied to every tool. Whatever was done there shows in a time of change. */
export function watched(places, outside = outsideOf(places)) {
  const denied = [".git", ".env", ".mcp.json", "stet.config.json"].map((name) => join(places.root, name));
  return denied.map((path) => tree(path)).join("") + outside;
}

/** All but the time of the root itself, in which `doctor` makes a file and removes it. */
export const everything = ({ root }) => tree(root, new Set(), false);

/** Names as bytes, for what has names that are no text. Times are of the inode, which nobody can set. */
export function tree(path, skip = new Set(), withItself = true) {
  const lines = [];
  const walk = (at) => {
    const stat = fs.lstatSync(at, { bigint: true, throwIfNoEntry: false });
    if (stat === undefined) return lines.push(`${at.toString("latin1")} nothing\n`);
    // A directory is told by what is in it: something made there and removed again shows in its time.
    // What has another name as well, in the state perhaps, changes its time when that one is moved.
    const time = stat.isDirectory() || stat.nlink === 1n ? stat.ctimeNs : "";
    lines.push(`${at.toString("latin1")} ${stat.ino} ${stat.mode} ${stat.size} ${time}\n`);
    if (!stat.isDirectory()) return 0;
    for (const name of fs.readdirSync(at, { encoding: "buffer" }).sort(Buffer.compare)) {
      if (!skip.has(name.toString())) walk(Buffer.concat([at, SLASH, name]));
    }
    return 0;
  };
  walk(Buffer.from(path));
  return (withItself ? lines : lines.slice(1)).join("");
}

const SLASH = Buffer.from("/");
