// stet restore --all: brings back every missing file that the history knows, also after the whole root was removed.
import { existsSync } from "node:fs";
import { isRootThere, listHistories, makeRootAgain, stateHome } from "../../../backends/disk/home.ts";
import { realPlace } from "../../../backends/disk/paths/owner-path.ts";
import { counted } from "../../../core/counted.ts";
import { Refusal } from "../../../core/failure.ts";
import { printable } from "../../../core/printable.ts";
import { isDatabaseUrl } from "../../config/database-root.ts";
import { absolute } from "../../config/paths.ts";
import { linkHint } from "../../history/link-hint.ts";
import { type RestoredMissing, restoreMissing } from "../../history/restore-missing.ts";
import { withWorkspace } from "../../open/one-workspace.ts";
import { OPEN_ABOUT, OPEN_OPTIONS } from "../../open/workspaces.ts";
import type { Command, Given, Terminal } from "../../options/command.ts";
import { sessionOfPerson } from "../../options/person.ts";
import { expectPositionals, UsageError } from "../../options/usage.ts";
import { paint, printJson } from "../../terminal/print.ts";
import { progressIn } from "../../terminal/progress.ts";
import { safeText } from "../../terminal/safe.ts";

export const restore: Command = {
  name: "restore",
  summary: "Bring back every missing file that the history knows, even after the root was deleted",
  usage: "restore --all [--dry-run] [--root DIR]",
  options: { ...OPEN_OPTIONS, all: { type: "boolean" }, "dry-run": { type: "boolean" } },
  about: {
    ...OPEN_ABOUT,
    root: "the workspace; a directory that was deleted is made again (default: the current directory)",
    all: "every file that is missing and that no change through stet deleted",
    "dry-run": "say which files would come back, change nothing",
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
      const { backend } = workspace;
      const { stateDir } = settings.workspace;
      const hint =
        stateDir === undefined || backend.directory === undefined ? undefined : linkHint(stateDir, backend.directory);
      if (hint !== undefined) throw new Refusal("not_found", hint.what, { next: hint.next });
      const done = await restoreMissing(sessionOfPerson(workspace, terminal), {
        tool: "stet restore",
        dryRun,
        signal: terminal.signal,
        progress: progressIn(terminal),
        deadlineMs: MAX_MS,
      });
      terminal.progress("");
      if (given.values.json === true) printJson(terminal, { ...done, dryRun });
      else print(terminal, done, dryRun);
      return done.left.length === 0 ? 0 : 1;
    });
  },
};

const MAX_MS = 10 * 60_000;
const MAX_SHOWN = 10;

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

function print(terminal: Terminal, { restored, entries, left, warnings }: RestoredMissing, dryRun: boolean): void {
  const as = entries.length === 0 ? "" : `, as ${entries.length === 1 ? "entry" : "entries"} ${entries.join(", ")}`;
  if (restored.length === 0) terminal.out("No file is missing that could be brought back.\n");
  else terminal.out(`${dryRun ? "Would bring" : "Brought"} back ${counted(restored.length, "file")}${as}:\n`);
  for (const path of restored.slice(0, MAX_SHOWN)) terminal.out(`  ${printable(path)}\n`);
  if (restored.length > MAX_SHOWN) terminal.out(`  … and ${restored.length - MAX_SHOWN} more\n`);
  if (left.length > 0) terminal.err(`Not brought back: ${counted(left.length, "file")}\n`);
  for (const { path, why } of left.slice(0, MAX_SHOWN)) terminal.err(`  ${printable(path)}: ${safeText(why)}\n`);
  for (const warning of warnings) terminal.err(`${paint(terminal, "yellow", "warning:")} ${printable(warning)}\n`);
}
