// stet restore --all: brings back every missing file that the history knows, also after the whole root was removed.
import { existsSync } from "node:fs";
import { isRootThere, listHistories, makeRootAgain, stateHome } from "../../../backends/disk/home.ts";
import { realPlace } from "../../../backends/disk/paths/owner-path.ts";
import type { EntryChange, Path, Sha, Version } from "../../../core/backend.ts";
import { Refusal } from "../../../core/failure.ts";
import { printable } from "../../../core/printable.ts";
import { happened } from "../../../kernel/history/journal.ts";
import { type Pulse, pulseOf } from "../../../kernel/progress.ts";
import type { ChangeOptions, Session } from "../../../kernel/session.ts";
import type { Workspace } from "../../../kernel/workspace.ts";
import { plural } from "../../../words/plural.ts";
import { isDatabaseUrl } from "../../config/database.ts";
import { absolute } from "../../config/paths.ts";
import { OPEN_OPTIONS, withWorkspace } from "../../open/workspaces.ts";
import { type Command, flag, type Given, type Terminal } from "../../options/command.ts";
import { expectPositionals, UsageError } from "../../options/given.ts";
import { longCall, sessionOfPerson } from "../../options/person.ts";
import { answer, printWarnings, shortList } from "../../terminal/print.ts";
import { safeText } from "../../terminal/safe.ts";
import { linkHint } from "./hints.ts";

export const restore: Command = {
  name: "restore",
  summary: "Bring back every missing file that the history knows, even after the root was deleted",
  usage: "restore --all [--dry-run] [--root DIR]",
  options: {
    ...OPEN_OPTIONS,
    root: {
      ...OPEN_OPTIONS.root,
      about: "the workspace; a directory that was deleted is made again (default: the current directory)",
    },
    all: flag("every file that is missing and that no change through stet deleted"),
    "dry-run": flag("say which files would come back, change nothing"),
  },
  examples: ["stet restore --all --dry-run", "stet restore --all --root ~/project"],
  notes: [
    "It never replaces a file that is there. Files that stet never changed are not in the history.",
    "stet trash restore ID brings back one file that was deleted through stet.",
  ],
  async run(terminal, given) {
    if (given.values.all !== true)
      throw new UsageError("stet restore needs --all.", "stet trash restore ID brings back one deleted file.");
    expectPositionals(restore, given, []);
    const dryRun = given.values["dry-run"] === true;
    bringRootBack(terminal, given, dryRun);
    return withWorkspace(terminal, given, async (workspace, { settings }) => {
      const hint = linkHint(settings.workspace.stateDir, workspace.backend.directory);
      if (hint !== undefined) throw new Refusal("not_found", hint.what, { next: hint.next });
      const call = { ...longCall(terminal, "stet restore"), dryRun, deadlineMs: MAX_MS };
      const done = await restoreMissing(sessionOfPerson(workspace, terminal), call);
      const { restored, entries, left, warnings } = done;
      const as = entries.length === 0 ? "" : `, as ${entries.length === 1 ? "entry" : "entries"} ${entries.join(", ")}`;
      const verb = dryRun ? "Would bring" : "Brought";
      const said =
        restored.length === 0
          ? "No file is missing that could be brought back."
          : `${verb} back ${plural(restored.length, "file")}${as}:`;
      answer(terminal, given, { ...done, dryRun }, `${said}\n${shortList(restored, printable)}`);
      if (!given.json) {
        if (left.length > 0) terminal.err(`Not brought back: ${plural(left.length, "file")}\n`);
        terminal.err(shortList(left, ({ path, why }) => `${printable(path)}: ${safeText(why)}`));
        printWarnings(terminal, warnings);
      }
      return left.length === 0 ? 0 : 1;
    });
  },
};

const MAX_MS = 10 * 60_000;

/** A root that was deleted is made again, and goes on with the history that names its path. */
function bringRootBack({ cwd, env }: Terminal, { values }: Given, dryRun: boolean): void {
  const [root, ...others] = (values.root as readonly string[] | undefined) ?? [];
  if (root === undefined || others.length > 0 || isDatabaseUrl(root)) return;
  const path = realPlace(absolute(cwd, root, env));
  const home = stateHome(env);
  if (home === undefined || existsSync(path)) return;
  const [newest] = listHistories(home)
    .filter((about) => about.root === path && !isRootThere(about))
    .sort((a, b) => b.usedAt.localeCompare(a.usedAt));
  if (newest === undefined) return;
  if (dryRun)
    throw new Refusal("not_found", `${path} was deleted; there is a history of it.`, {
      next: "Leave out --dry-run to make the directory again and bring its files back.",
    });
  makeRootAgain(home, newest);
}

type Wanted = Pick<EntryChange, "path" | "toSize" | "toMode"> & { readonly to: Sha };

/** Never replaces a file. Many files come back in several changes, each of which can be undone. */
async function restoreMissing(session: Session, options: ChangeOptions) {
  const { workspace } = session;
  const pulse = pulseOf(options);
  const restored: Path[] = [];
  /** The entries that brought them back. */
  const entries: number[] = [];
  /** Missing files that stay missing. */
  const left: { path: Path; why: string }[] = [];
  const warnings: string[] = [];
  let batch: { readonly path: Path; readonly version: Version }[] = [];
  let room = MAX_BYTES;
  const restoreBatch = async (): Promise<void> => {
    if (batch.length === 0) return;
    const targets = batch.map(({ path }) => ({ ...TARGET, path }));
    const nexts = batch.map(({ version }) => ({ version }));
    const changed = await session.change(targets, () => nexts, { ...options, maxFiles: MAX_FILES });
    if (changed.entry !== undefined) entries.push(changed.entry.seq);
    restored.push(...batch.map(({ path }) => path));
    warnings.push(...changed.warnings);
    batch = [];
    room = MAX_BYTES;
  };
  for (const { path, to, toSize = 0, toMode } of await lastKnown(workspace, pulse)) {
    await pulse(() => `looking for ${path}; restored ${restored.length} files`);
    const why = await whyLeft(workspace, path);
    if (why === IS_THERE) continue;
    if (toSize > room || batch.length === MAX_FILES) await restoreBatch();
    const version = why === undefined ? await workspace.backend.recall(to) : null;
    if (version === null) left.push({ path, why: why ?? "its bytes are no longer kept" });
    else batch.push({ path, version: toMode === undefined ? version : { ...version, mode: toMode } });
    room -= version === null ? 0 : toSize;
  }
  await restoreBatch();
  return { restored, entries, left, warnings };
}

const TARGET = {
  proof: { by: "absence" },
  action: "restore",
  link: true,
  existed: true,
  createParents: true,
} as const;

/** Of one change, whose files are all in memory at once. */
const MAX_FILES = 1000;
const MAX_BYTES = 256 * 1024 * 1024;

/**
 * The newest version of each path that no change deleted. Deletions by other programs do not count: whether stet noticed
 * one is chance. Of a file and a directory of one name, the newer wins.
 */
async function lastKnown({ backend }: Workspace, pulse: Pulse): Promise<readonly Wanted[]> {
  const known = new Map<string, Wanted | null>();
  const directories = new Set<string>();
  for await (const { seq, outcome, changes } of happened(backend, { newestFirst: true })) {
    await pulse(() => `looking at entry ${seq}`);
    for (const { to, ...change } of changes) {
      const { path } = change;
      if (known.has(path) || (outcome === "external" && to === null)) continue;
      const names = path.split("/");
      const above = names.slice(1).map((_, n) => names.slice(0, n + 1).join("/"));
      const isTaken = directories.has(path) || above.some((each) => known.get(each));
      known.set(path, to === null || isTaken ? null : { ...change, to });
      if (known.get(path)) for (const each of above) directories.add(each);
    }
  }
  return [...known.values()].filter((wanted) => wanted !== null).sort((a, b) => (a.path < b.path ? -1 : 1));
}

const IS_THERE = "it is there";

async function whyLeft({ backend, policy }: Workspace, path: Path): Promise<string | undefined> {
  try {
    if (!policy.allows(path, "restore")) return "the policy forbids it";
    const { kind } = await backend.resolve(path, { link: true, existed: true });
    if (kind === "absent") return undefined;
    return kind === "directory" ? "a directory is in its place" : IS_THERE;
  } catch (error) {
    if (error instanceof Refusal) return error.failure.message;
    throw error;
  }
}
