// stet doctor: what works here and what does not, each with what it means.
import { Refusal } from "../../core/failure.ts";
import { printable } from "../../core/printable.ts";
import { plural } from "../../words/plural.ts";
import { type RootSettings, type Settings, settingsOf } from "../config/settings.ts";
import { type Finding, ok, refused, warn } from "../doctor/finding.ts";
import { examineMachine } from "../doctor/machine.ts";
import { examineRoot } from "../doctor/root.ts";
import { flagsOf, OPEN_OPTIONS, surfaceOf } from "../open/workspaces.ts";
import type { Command, Given, Terminal } from "../options/command.ts";
import { answer, paint } from "../terminal/print.ts";
import { safeText } from "../terminal/safe.ts";

export const doctor: Command = {
  name: "doctor",
  summary: "Check what works here: Node, ripgrep, locks, file system, permissions, state, database",
  takes: [],
  usage: "doctor [--root DIR] [--config FILE]",
  options: { ...OPEN_OPTIONS },
  examples: [
    "stet doctor",
    "stet doctor --root ~/project",
    "stet doctor --root postgres://stet@localhost/stet/web",
    "stet doctor --json | jq '.findings[] | select(.state != \"ok\")'",
  ],
  async run(terminal, given) {
    const findings: Finding[] = [];
    for await (const finding of examine(terminal, given)) {
      findings.push(finding);
      if (!given.json) terminal.out(line(terminal, finding));
    }
    const failed = findings.some(({ state }) => state === "fail");
    answer(terminal, given, { ok: !failed, findings }, `${conclusion(terminal, findings)}\n`);
    return failed ? 1 : 0;
  },
};

/** Also for the page, which shows the same. */
export async function* examine(terminal: Terminal, given: Given): AsyncGenerator<Finding> {
  yield* examineMachine();
  const settings = await settingsOf(terminal, flagsOf(given)).catch(refusalOnly);
  if (settings instanceof Refusal) {
    yield refused("configuration", settings);
    return;
  }
  yield settings.configFile === undefined
    ? ok("configuration", "no stet.config.json; defaults hold", "stet init writes one.")
    : ok("configuration", `${settings.configFile} is valid`);
  // Also what a surface reads from the environment: nothing is served where that is wrong.
  const surface = await surfaceOf(settings).catch(refusalOnly);
  if (surface instanceof Refusal) yield refused("surface", surface);
  for (const note of settings.notes) yield warn("setup", note, "See that it is what you want.");
  if (settings.fleet !== undefined) {
    const { examineDatabase } = await import("../doctor/database.ts");
    yield* examineDatabase({ ...settings.fleet, workspace: undefined }, settings.fleet.policy, settings);
    return;
  }
  for (const root of settings.roots) {
    const prefix = settings.roots.length === 1 ? "" : `${root.name}: `;
    terminal.progress(`examining ${printable(root.path)}`);
    for await (const finding of findingsOf(root, settings)) yield { ...finding, about: prefix + finding.about };
  }
}

async function* findingsOf(root: RootSettings, settings: Settings): AsyncGenerator<Finding> {
  if (root.database === undefined) return yield* examineRoot(root, settings);
  const { examineDatabase } = await import("../doctor/database.ts");
  yield* examineDatabase(root.database, root.policy, settings);
}

function refusalOnly(error: unknown): Refusal {
  if (error instanceof Refusal) return error;
  throw error;
}

const STYLES = { ok: "green", warn: "yellow", fail: "red" } as const;

function line(terminal: Terminal, { about, state, what, means }: Finding): string {
  const mark = paint(terminal, STYLES[state], state.padEnd(4));
  const first = `${mark}  ${about.padEnd(14)}  ${safeText(what)}\n`;
  return means === undefined ? first : `${first}${" ".repeat(22)}${paint(terminal, "dim", safeText(means))}\n`;
}

function conclusion(terminal: Terminal, findings: readonly Finding[]): string {
  const count = (state: Finding["state"]): number => findings.filter((finding) => finding.state === state).length;
  const [failed, warned] = [count("fail"), count("warn")];
  if (failed > 0) return paint(terminal, "red", `\n${failed} of ${findings.length} checks failed.`);
  if (warned > 0) return paint(terminal, "yellow", `\nIt works, with ${plural(warned, "warning")}.`);
  return paint(terminal, "green", "\nAll is well.");
}
