// A person's machine with secrets in its home, a project beside others, and eyes on everything that must stay untouched.
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { join, sep } from "node:path";
import { tempDir } from "../../support/temp.ts";

/** In every file outside of the clone: what is shown of it, is shown with this. */
export const CANARY = "canary-7d1f";

export interface World {
  readonly parent: string;
  readonly home: string;
  readonly register: string;
  /** Where the hostile repository is made. */
  readonly origin: string;
  readonly clone: string;
}

export function makeWorld(): World {
  const parent = fs.realpathSync(tempDir("stet-cloned-"));
  const [home, register, origin] = ["home", "register", "origin"].map((name) => join(parent, name)) as [
    string,
    string,
    string,
  ];
  for (const dir of [home, register, origin, join(home, ".ssh"), join(parent, "projects")]) {
    fs.mkdirSync(dir, { mode: 0o700 });
  }
  for (const [path, mode] of [
    ["home/.bashrc", 0o644],
    ["home/.ssh/id_ed25519", 0o600],
    ["home/tokens", 0o644],
    ["projects/victim.txt", 0o644],
    ["victim.txt", 0o644],
  ] as const) {
    fs.writeFileSync(join(parent, path), `${CANARY} ${path}\n`, { mode });
  }
  return { parent, home, register, origin, clone: join(parent, "projects", "clone") };
}

/** Of git's own files only the place for hooks: each is compared before and after. */
const TEMPLATE = tempDir("stet-git-template-");
fs.mkdirSync(join(TEMPLATE, "hooks"));

/** Without the process that git starts after a commit to tidy up. */
const SETTINGS = {
  "user.name": "t",
  "user.email": "t@example.invalid",
  "init.defaultBranch": "main",
  "maintenance.auto": "false",
};
/** In one shell: each start of a process from here copies the tables of all its memory. */
const MAKE_AND_CLONE = `set -e
git init -q
git add -f -A
git commit -q -m "a friendly project"
git clone -q . "$1"`;

export function git(cwd: string, ...args: string[]): void {
  run("git", args, cwd);
}

/** All that lies in `origin` becomes a repository, which is cloned. */
export function cloned(origin: string, clone: string): void {
  run("sh", ["-c", MAKE_AND_CLONE, "sh", clone], origin);
}

function run(program: string, args: readonly string[], cwd: string): void {
  const settings = Object.entries(SETTINGS).flatMap(([key, value], n) => [
    [`GIT_CONFIG_KEY_${n}`, key],
    [`GIT_CONFIG_VALUE_${n}`, value],
  ]);
  const env = {
    ...process.env,
    GIT_CONFIG_GLOBAL: "/dev/null",
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_TEMPLATE_DIR: TEMPLATE,
    GIT_CONFIG_COUNT: String(Object.keys(SETTINGS).length),
    ...Object.fromEntries(settings),
  };
  execFileSync(program, args, { cwd, env, stdio: ["ignore", "pipe", "pipe"] });
}

/** What lies at a place: kinds, modes and contents, whole, below directories that `skip` does not name. */
export function snapshot(root: string, skip: (path: string) => boolean = () => false): Map<string, string> {
  const found = new Map<string, string>();
  const visit = (path: string): void => {
    if (skip(path)) return;
    const stat = fs.lstatSync(path);
    const what = stat.isSymbolicLink()
      ? `-> ${fs.readlinkSync(path)}`
      : stat.isFile() && stat.size < 1e6
        ? fs.readFileSync(path, "latin1")
        : stat.isDirectory()
          ? "directory"
          : `other of ${stat.size} bytes`;
    found.set(path, `${(stat.mode & 0o7777).toString(8)} ${what}`);
    if (stat.isDirectory()) for (const name of fs.readdirSync(path)) visit(join(path, name));
  };
  visit(root);
  return found;
}

/** The paths whose snapshots differ. */
export function differences(before: Map<string, string>, after: Map<string, string>): string[] {
  const paths = new Set([...before.keys(), ...after.keys()]);
  return [...paths].filter((path) => before.get(path) !== after.get(path));
}

const OPENING = [
  "openSync",
  "readFileSync",
  "readdirSync",
  "opendirSync",
  "open",
  "readFile",
  "createReadStream",
] as const;

/** Runs `work`; gives every place below `parent`, but neither in the clone nor in the register, whose content it opened. */
export async function opensOutside(world: World, work: () => Promise<void>): Promise<string[]> {
  const opened = new Set<string>();
  const target = fs as unknown as Record<string, (...args: unknown[]) => unknown>;
  const realpath = fs.realpathSync.native;
  const originals = OPENING.map((name) => [name, target[name]!] as const);
  const isOutside = (path: string): boolean =>
    path.startsWith(world.parent + sep) &&
    ![world.clone, world.register].some((own) => path === own || path.startsWith(own + sep));
  const note = (path: unknown): void => {
    if (typeof path !== "string" && !Buffer.isBuffer(path)) return;
    try {
      const real = realpath(path.toString());
      if (isOutside(real)) opened.add(real);
    } catch {
      // nothing is there
    }
  };
  for (const [name, original] of originals) {
    target[name] = (...args) => {
      const refusesLinks = typeof args[1] === "number" && (args[1] & fs.constants.O_NOFOLLOW) !== 0;
      // What may only be looked up, or not through a link, reads nothing.
      const onlyLooks = typeof args[1] === "number" && (args[1] & 0o10000000) !== 0;
      if (!onlyLooks && !(refusesLinks && isLink(args[0]))) note(args[0]);
      return original(...args);
    };
  }
  syncBuiltinESMExports();
  try {
    await work();
    return [...opened];
  } finally {
    for (const [name, original] of originals) target[name] = original;
    syncBuiltinESMExports();
  }

  function isLink(path: unknown): boolean {
    return typeof path === "string" && fs.lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;
  }
}
