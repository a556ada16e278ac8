// stet policy explain: which rule allows or denies what on a path, and whose rule it is.
import type { Resolved } from "../../core/backend.ts";
import { printable } from "../../core/printable.ts";
import type { Decision } from "../../kernel/policy/policy.ts";
import { ACTIONS, type Action } from "../../kernel/policy/protected.ts";
import type { Workspace } from "../../kernel/workspace.ts";
import { OPEN_OPTIONS, SURFACE_OPTIONS, tellNotes, withWorkspace } from "../open/workspaces.ts";
import { type Command, type Terminal, value } from "../options/command.ts";
import { choiceOf, textOf, verbIn } from "../options/given.ts";
import { answer, columns, paint } from "../terminal/print.ts";

export const policy: Command = {
  name: "policy",
  summary: "Explain what agents may do with a path, and which rule says so",
  usage: "policy explain PATH [--action NAME]",
  options: {
    ...OPEN_OPTIONS,
    "read-only": SURFACE_OPTIONS["read-only"],
    action: value("NAME", `only this one of ${ACTIONS.join(", ")}; the exit code is then 1 when it is denied`),
  },
  examples: [
    "stet policy explain .env",
    "stet policy explain src/main.ts --action edit",
    "stet policy explain .git --json",
  ],
  async run(terminal, given) {
    const { rest } = verbIn(policy, { explain: { takes: ["PATH"] } }, given);
    const named = textOf(given, "action");
    const only = named && choiceOf(named, ACTIONS, `There is no action ${JSON.stringify(named)}.`);
    return withWorkspace(terminal, given, async (workspace) => {
      tellNotes(terminal, workspace.notOpened);
      const explained = await explain(workspace, rest.positionals[0]!, only ? [only] : ACTIONS);
      const data = { root: workspace.backend.directory, ...explained };
      answer(terminal, given, data, formatExplained(terminal, explained));
      for (const note of workspace.policy.notes) terminal.err(`Note: ${printable(note)}\n`);
      return only && !explained.decisions[0]!.allowed ? 1 : 0;
    });
  },
};

interface Explained {
  readonly path: string;
  readonly kind: string;
  /** `path`: what is judged, which for some actions is a link and not the file it leads to. */
  readonly decisions: readonly (Decision & { readonly action: Action; readonly path: string })[];
}

/** A link is judged by every name that led to the file, as tools are; the first denial decides. */
async function explain({ backend, policy }: Workspace, raw: string, actions: readonly Action[]): Promise<Explained> {
  const places: Resolved[] = [];
  const decisions: Explained["decisions"][number][] = [];
  for (const action of actions) {
    const place = await backend.resolve(raw, { link: OF_THE_LINK.has(action) });
    const all = [...place.via, place.path].map((name) => policy.explain(name, action));
    decisions.push({ action, path: place.path, ...(all.find(({ allowed }) => !allowed) ?? all.at(-1)!) });
    places.push(place);
  }
  const { path, kind } = places[0]!;
  return { path, kind, decisions };
}

/** They take a symbolic link itself and are judged by it alone. A move takes it too, but is judged by what it leads to as well. */
const OF_THE_LINK: ReadonlySet<Action> = new Set<Action>(["delete", "restore", "undo", "purge"]);

function formatExplained(terminal: Terminal, { path, kind, decisions }: Explained): string {
  const rows = decisions.map(({ action, path: judged, allowed, rule, source, reason }) => [
    `  ${action}`,
    allowed ? paint(terminal, "green", "allowed") : paint(terminal, "red", "denied"),
    `${printable(reason)}${judged === path ? "" : ` (of the link ${printable(judged)} itself)`}`,
    paint(terminal, "dim", `${printable(rule)} (${source})`),
  ]);
  return `${paint(terminal, "bold", printable(path) || "the root")} (${kind})\n${columns(rows)}`;
}
