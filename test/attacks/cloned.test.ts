// A repository brings along a history, a configuration or ignore files of its own making, and stet is used in it: it
// changes and shows nothing outside, starts no program, and never makes its own history pass for what was done here.
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { openWorkspace } from "stet";
import { describe, expect, it } from "vitest";
import { stet } from "../support/cli.ts";
import { tempDir } from "../support/temp.ts";

/** In every file outside of the clone: what is shown of it, is shown with this. */
const CANARY = "canary-7d1f";
const FILES = { "README.md": "hello\n", "main.txt": "main\n", "other.txt": "other\n" };

interface World {
  readonly parent: string;
  readonly home: string;
  readonly state: string;
  /** Where the repository is made. */
  readonly origin: string;
  readonly clone: string;
}

/** A machine with secrets in its home, and a repository that was used by someone else, on another machine. */
async function machine(): Promise<World> {
  const parent = realpathSync(tempDir("stet-cloned-"));
  const at = (name: string): string => join(parent, name);
  for (const name of ["home", "home/.ssh", "state", "theirs", "origin"]) mkdirSync(at(name), { mode: 0o700 });
  for (const name of ["home/.bashrc", "home/.ssh/id_ed25519", "home/tokens", "victim.txt"])
    writeFileSync(at(name), `${CANARY} ${name}\n`, { mode: 0o600 });
  for (const [name, text] of Object.entries(FILES)) writeFileSync(join(at("origin"), name), text);
  const workspace = openWorkspace({ root: at("origin"), stateDir: at("theirs"), durability: "fast" });
  const session = workspace.session({ agent: "claude", id: "theirs" });
  await session.create("new.txt", "of the repository\n");
  await session.write("main.txt", "changed\n", { expectedSha256: (await session.read("main.txt")).sha });
  await session.delete("other.txt", { expectedSha256: (await session.read("other.txt")).sha });
  await session.delete("nothing.txt").catch(() => undefined);
  await workspace.close();
  writeFileSync(join(at("origin"), "other.txt"), "other\n");
  // All that their history is made of, and files that look as if a change had been cut short.
  const [theirs] = readdirSync(at("theirs"));
  cpSync(join(at("theirs"), theirs!), join(at("origin"), ".stet"), { recursive: true });
  for (const name of ["1-0", "5-0", "9-1-back"]) writeFileSync(join(at("origin"), ".stet", name), "forged\n");
  return { parent, home: at("home"), state: at("state"), origin: at("origin"), clone: at("clone") };
}

const shipped = ({ origin }: World): string => join(origin, ".stet");
const below = (dir: string): string[] =>
  readdirSync(dir, { recursive: true, encoding: "utf8" }).map((name) => join(dir, name));
const plainFiles = (dir: string): string[] => below(dir).filter((path) => lstatSync(path).isFile());

const CASES: readonly (readonly [what: string, hostile: (world: World) => void])[] = [
  ["the history of another machine", () => {}],
  [
    "links in the place of all that is kept",
    (world) => {
      for (const path of plainFiles(shipped(world))) {
        rmSync(path);
        symlinkSync(join(world.home, "tokens"), path);
      }
    },
  ],
  [
    "links in the place of its directories",
    (world) => {
      for (const name of readdirSync(shipped(world))) rmSync(join(shipped(world), name), { recursive: true });
      for (const name of ["lock", "log", "objects", "tmp"])
        symlinkSync(name === "objects" ? world.parent : world.home, join(shipped(world), name));
    },
  ],
  [
    "a link in the place of the state",
    (world) => {
      rmSync(shipped(world), { recursive: true });
      symlinkSync(world.home, shipped(world));
    },
  ],
  [
    "files that never end",
    (world) => {
      for (const path of plainFiles(shipped(world))) {
        rmSync(path);
        symlinkSync("/dev/zero", path);
      }
    },
  ],
  [
    "paths that lead outside in all that it says",
    (world) => {
      for (const path of plainFiles(shipped(world))) {
        const text = readFileSync(path, "latin1");
        chmodSync(path, 0o600);
        writeFileSync(
          path,
          text.replaceAll("new.txt", "../victim.txt").replaceAll("main.txt", ".git/hooks/pre-commit"),
          "latin1",
        );
      }
    },
  ],
  [
    "a configuration that opens what is outside",
    ({ origin, home }) =>
      writeFileSync(
        join(origin, "stet.config.json"),
        JSON.stringify({ roots: [home], stateDir: join(home, "state"), policy: { protect: false } }),
      ),
  ],
  [
    "ignore files that are links to secrets",
    ({ origin, home }) => {
      for (const name of [".gitignore", ".ignore", ".rgignore"]) symlinkSync(join(home, "tokens"), join(origin, name));
      writeFileSync(join(origin, ".ripgreprc"), "--pre=touch\n");
    },
  ],
];

const COMMANDS: readonly (readonly string[])[] = [
  ["log"],
  ["show", "1"],
  ["undo", "--since", "9999d", "--dry-run"],
  ["undo", "--agent", "claude", "--yes"],
  ["trash", "list"],
  ["trash", "restore", "other.txt"],
  ["verify"],
  ["gc", "--older-than", "1d", "--even-recent", "--yes"],
  ["doctor"],
  ["call", "read_file", '{"path":"README.md"}'],
  ["call", "search_files", '{"query":"canary","mode":"text"}'],
  ["call", "list_directory", '{"path":".","recursive":true}'],
  ["call", "create_file", '{"path":"made.txt","content":"made\\n"}'],
  ["call", "delete_file", '{"path":"README.md"}'],
  ["call", "restore_file", '{"path":"README.md"}'],
  ["call", "audit_log", '{"includeDiff":true}'],
];

describe.skipIf(process.platform !== "linux").each(CASES)("a repository with %s", (_what, hostile) => {
  it.each(["cloned", "unpacked"] as const)("%s, then used", async (how) => {
    const world = await machine();
    hostile(world);
    if (how === "cloned") cloneOf(world);
    else cpSync(world.origin, world.clone, { recursive: true, verbatimSymlinks: true });
    const before = outsideOf(world);
    for (const args of COMMANDS) await ran(world, args);
    expect(outsideOf(world)).toEqual(before);
    expect(existsSync(join(world.clone, ".git/hooks/pre-commit"))).toBe(false);
  });
});

it("the history of another is no history here: nothing of it is shown or undone", async () => {
  const world = await machine();
  cpSync(world.origin, world.clone, { recursive: true });
  expect((await ran(world, ["log"])).out).not.toContain("claude");
  await ran(world, ["undo", "--agent", "claude", "--yes"]);
  expect(readFileSync(join(world.clone, "main.txt"), "utf8")).toBe("changed\n");
});

async function ran(world: World, args: readonly string[]) {
  const env = { HOME: world.home, STET_STATE: world.state, USER: "person" };
  const done = await stet(args, { cwd: world.clone, env });
  const said = done.out + done.err;
  const what = `stet ${args.join(" ")}: ${said.slice(0, 1000)}`;
  expect([0, 1, 2], what).toContain(done.code);
  expect(said, what).not.toMatch(/a defect in stet|canary-7d1f/);
  return done;
}

/** All that a person has but for the clone, and in the clone what runs programs. */
function outsideOf({ parent, clone, state }: World): Record<string, string> {
  const found: Record<string, string> = {};
  const visit = (path: string): void => {
    if (path === state) return;
    const stat = lstatSync(path);
    const content = stat.isSymbolicLink() ? readlinkSync(path) : stat.isFile() ? readFileSync(path, "latin1") : "";
    found[path] = `${(stat.mode & 0o7777).toString(8)} ${content}`;
    if (!stat.isDirectory()) return;
    const names = path === clone ? readdirSync(path).filter((name) => name === ".git") : readdirSync(path);
    for (const name of names.filter((each) => each !== "index")) visit(join(path, name));
  };
  visit(parent);
  delete found[clone];
  return found;
}

function cloneOf({ origin, clone }: World): void {
  const settings = ["user.name=t", "user.email=t@example.invalid", "init.defaultBranch=main", "maintenance.auto=false"];
  const git = (...args: string[]) =>
    execFileSync("git", [...settings.flatMap((each) => ["-c", each]), ...args], {
      cwd: origin,
      env: { ...process.env, GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_NOSYSTEM: "1" },
      stdio: "ignore",
    });
  git("init", "-q", "--template=");
  git("add", "-f", "-A");
  git("commit", "-q", "-m", "a friendly project");
  git("clone", "-q", "--template=", ".", clone);
}
