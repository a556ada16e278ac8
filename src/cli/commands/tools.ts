// stet tools: what a model would see of a surface, and what it costs to show.
import type { AnyTool } from "../../surfaces/tool.ts";
import { openAll, SERVING_OPTIONS, settingsFor } from "../open/workspaces.ts";
import { type Command, flag, type Terminal } from "../options/command.ts";
import { answer, columns, paint } from "../terminal/print.ts";
import { stetVersion } from "../version.ts";

export const tools: Command = {
  name: "tools",
  summary: "List the tools a model would see, with their size",
  usage: "tools [ROOT…] [--surface NAMES] [--read-only] [--structured]",
  options: { ...SERVING_OPTIONS, json: flag("with descriptions and schemas, as a client gets them") },
  examples: ["stet tools", "stet tools --surface anchors --read-only", "stet tools --json | jq '.tools[].name'"],
  async run(terminal, given) {
    const [{ describeTools, instructionsFor }, { createSessions }] = await Promise.all([
      import("../../serve/calls/described.ts"),
      import("../../serve/workspaces/sessions.ts"),
    ]);
    const { surface, served, settings, close } = await openAll(terminal, await settingsFor(terminal, given), false);
    try {
      const options = { surface, served, version: stetVersion(), results: settings.results };
      const scope = createSessions().forConnection();
      const { listed: plain, tools: all } = describeTools(options);
      const text = instructionsFor(options, scope);
      const listed = plain.map((tool) => ({ ...tool, ...costOf(visible(tool)) }));
      const total = costOf(...plain.map(visible), text);
      const guidance = { text, ...costOf(text) };
      const { name, title } = surface;
      const data = { surface: name, title, guidance, tools: listed, total };
      const effects = all.map(({ effect }) => effect);
      return answer(terminal, given, data, formatTools(terminal, data, effects));
    } finally {
      await close();
    }
  },
};

interface Cost {
  readonly bytes: number;
  /** An estimate: four bytes a token, which is near what most models need for English and JSON. */
  readonly tokens: number;
}

interface Visible {
  readonly name: string;
  readonly description?: string | undefined;
  readonly inputSchema: unknown;
}

/** What clients put before a model; titles, output schemas and annotations are for the client. */
function visible({ name, description, inputSchema }: Visible): string {
  return JSON.stringify({ name, description, inputSchema });
}

function costOf(...texts: readonly string[]): Cost {
  const bytes = texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
  return { bytes, tokens: Math.round(bytes / BYTES_PER_TOKEN) };
}

const BYTES_PER_TOKEN = 4;

interface Shown {
  readonly title: string;
  readonly guidance: Cost;
  readonly tools: readonly (Cost & { readonly name: string; readonly title?: string | undefined })[];
  readonly total: Cost;
}

/** `effects`: what stet itself says of each tool, which is more than its annotations do. */
function formatTools(
  terminal: Terminal,
  { title, guidance, tools: listed, total }: Shown,
  effects: readonly AnyTool["effect"][],
): string {
  const dim = (text: string): string => paint(terminal, "dim", text);
  const numbers = ({ bytes, tokens }: Cost): string[] => [`${bytes}`.padStart(6), `~${tokens}`.padStart(7)];
  const rows = [
    ["tool", "effect", " bytes", " tokens", ""],
    ...listed.map((tool, at) => [tool.name, effects[at]!, ...numbers(tool), dim(tool.title ?? "")]),
    ["guidance", "", ...numbers(guidance), dim("for the system prompt")],
    ["total", "", ...numbers(total), ""],
  ];
  return `${paint(terminal, "bold", title)}\n${columns(rows)}`;
}
