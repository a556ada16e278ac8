// stet doctor: what works here and what does not, each with what it means.
import { Refusal } from "../../core/failure.ts";
import { plural } from "../../core/plural.ts";
import { printable } from "../../core/printable.ts";
import { type RootSettings, type Settings, settingsOf } from "../config/settings.ts";
import { type Finding, fail, ok, warn } from "../doctor/finding.ts";
import { examineMachine } from "../doctor/machine.ts";
import { examineRoot } from "../doctor/root.ts";
import { flagsOf, OPEN_ABOUT, OPEN_OPTIONS, surfaceOf } from "../open/workspaces.ts";
import type { Command, Given, Terminal } from "../options/command.ts";
import { expectPositionals } from "../options/usage.ts";
import { columns, paint, printJson } from "../terminal/print.ts";
import { safeText } from "../terminal/safe.ts";

export const doctor: Command = {
  name: "doctor",
  summary: "Check what works here: Node, ripgrep, locks, file system, permissions, state, database",
  usage: "doctor [--root DIR] [--config FILE]",
  options: { ...OPEN_OPTIONS },
  about: { ...OPEN_ABOUT },
  examples: [
    "stet doctor",
    "stet doctor --root ~/project",
    "stet doctor --root postgres://stet@localhost/stet/web",
    "stet doctor --json | jq '.findings[] | select(.state != \"ok\")'",
  ],
  async run(terminal, given) {
    expectPositionals(doctor, given, []);
    const findings: Finding[] = [];
    for await (const finding of examine(terminal, given)) {
      findings.push(finding);
      if (given.values.json !== true) terminal.out(`${line(terminal, finding)}\n`);
    }
    const failed = findings.some(({ state }) => state === "fail");
    if (given.values.json === true) printJson(terminal, { ok: !failed, findings });
    else terminal.out(`${conclusion(terminal, findings)}\n`);
    return failed ? 1 : 0;
  },
};

/** Also for the page, which shows the same. */
export async function* examine(terminal: Terminal, given: Given): AsyncGenerator<Finding> {
  yield* examineMachine();
  const settings = await settingsOr(terminal, given);
  if (settings instanceof Refusal) {
    const { message, suggestedAction } = settings.failure;
    yield fail("configuration", message, suggestedAction ?? "stet does not start like this.");
    return;
  }
  yield settings.configFile === undefined
    ? ok("configuration", "no stet.config.json; defaults hold", "stet init writes one.")
    : ok("configuration", `${settings.configFile} is valid`);
  yield* surfaceFindings(settings);
  for (const note of settings.notes) yield warn("setup", note, "See that it is what you want.");
  if (settings.fleet !== undefined && settings.none !== undefined) {
    const { examineDatabase } = await import("../doctor/database.ts");
    yield* examineDatabase({ ...settings.fleet, workspace: undefined }, settings.fleet.policy, settings);
    return;
  }
  for (const root of settings.roots) {
    const prefix = settings.roots.length === 1 ? "" : `${root.name}: `;
    terminal.progress(`examining ${printable(root.path)}`);
    for await (const finding of findingsOf(root, settings)) yield { ...finding, about: prefix + finding.about };
    terminal.progress("");
  }
}

async function* findingsOf(root: RootSettings, settings: Settings): AsyncGenerator<Finding> {
  if (root.database === undefined) return yield* examineRoot(root, settings);
  const { examineDatabase } = await import("../doctor/database.ts");
  yield* examineDatabase(root.database, root.policy, settings);
}

async function settingsOr(terminal: Terminal, given: Given): Promise<Settings | Refusal> {
  try {
    return await settingsOf(terminal, flagsOf(given));
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
}

/** Also what a surface reads from the environment: nothing is served where that is wrong. */
async function* surfaceFindings(settings: Settings): AsyncGenerator<Finding> {
  try {
    await surfaceOf(settings);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const { message, suggestedAction } = error.failure;
    yield fail("surface", message, suggestedAction ?? "stet does not start like this.");
  }
}

const STYLES = { ok: "green", warn: "yellow", fail: "red" } as const;

function line(terminal: Terminal, { about, state, what, means }: Finding): string {
  const mark = paint(terminal, STYLES[state], state.padEnd(4));
  const first = columns([[mark, about.padEnd(14), safeText(what)]]);
  return means === undefined ? first : `${first}\n${" ".repeat(22)}${paint(terminal, "dim", safeText(means))}`;
}

function conclusion(terminal: Terminal, findings: readonly Finding[]): string {
  const count = (state: Finding["state"]): number => findings.filter((finding) => finding.state === state).length;
  const [failed, warned] = [count("fail"), count("warn")];
  if (failed > 0) return paint(terminal, "red", `\n${failed} of ${findings.length} checks failed.`);
  if (warned > 0) return paint(terminal, "yellow", `\nIt works, with ${plural(warned, "warning")}.`);
  return paint(terminal, "green", "\nAll is well.");
}
