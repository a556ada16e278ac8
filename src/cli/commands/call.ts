// stet call: tool calls as a model would make them, with their results as data or as the text that a model reads.
import { printable } from "../../core/printable.ts";
import { OPEN_OPTIONS, SURFACE_OPTIONS, tellNotes, withWorkspace } from "../open/workspaces.ts";
import { type Command, flag, type Given, type Terminal, value } from "../options/command.ts";
import { textOf, textOfFile, UsageError } from "../options/given.ts";
import { personIn } from "../options/person.ts";
import { safeJson, safeText } from "../terminal/safe.ts";

export const call: Command = {
  name: "call",
  summary: "Call a tool as a model would, and print its result",
  usage: "call TOOL JSON [TOOL JSON ...] [--surface NAMES] [--text]",
  options: {
    ...OPEN_OPTIONS,
    ...SURFACE_OPTIONS,
    agent: value("NAME", "the name that the journal shall show (default: yours)"),
    session: value(
      "ID",
      "the session that the journal shall show, for log and undo; what it has seen lasts for this command only",
    ),
    text: flag("print the text that a model reads instead of JSON"),
    json: flag("print JSON (the default): one result a line"),
  },
  examples: [
    `stet call read_file '{"path":"README.md"}' --text`,
    "stet call apply_patch @change.json",
    `echo '{"path":"a.txt","content":"hello"}' | stet call create_file -`,
    `stet call --surface tracked Read '{"file_path":"a.txt"}' Edit '{"file_path":"a.txt","old_string":"a","new_string":"b"}'`,
  ],
  async run(terminal, given) {
    const calls = await callsIn(terminal, given);
    return withWorkspace(
      terminal,
      given,
      async (workspace, { settings }) => {
        tellNotes(terminal, workspace.notOpened);
        const { call: callTool, offeredTools, surfaceNamed } = await import("../../surfaces/index.ts");
        const { unknownTool } = await import("../../surfaces/call.ts");
        const surface = surfaceNamed(settings.surface, { files: settings.files });
        const offered = offeredTools(surface, workspace.policy);
        const names = offered.map(({ name }) => name);
        const known = surface.tools.map(({ name }) => name);
        // One that the policy takes away is refused when it is called, as an agent is.
        for (const { tool } of calls.filter((each) => !known.includes(each.tool))) {
          const { message, suggestedAction } = unknownTool(surface, offered, tool).error;
          throw new UsageError(message, suggestedAction);
        }
        const id = textOf(given, "session");
        const agent = textOf(given, "agent") ?? personIn(terminal);
        const session = workspace.session({ agent, ...(id !== undefined && { id }) });
        for (const { tool, input } of calls) {
          const result = await callTool(session, surface, tool, input, { signal: terminal.signal });
          terminal.out(
            given.values.text
              ? `${safeText(result.text)}\n`
              : `${safeJson(result, terminal.colour && !given.json ? 2 : undefined)}\n`,
          );
          if (!result.ok) return 1;
        }
        if (names.includes("files") && (await keepsInMemory())) terminal.err(GONE);
        return 0;
      },
      PATIENT,
    );
  },
};

/** Each command starts its parsers anew, which takes longer than a call of a server may wait for what they say. */
const PATIENT = { limits: { checkMs: 2000 }, make: true };

const GONE =
  "The surface files keeps its files in memory: they are gone now. STET_FS_MODE=sandbox makes it work on the directory.\n";

async function keepsInMemory(): Promise<boolean> {
  const { settingsOf } = await import("../../surfaces/files/settings.ts");
  return settingsOf({}).mode === "store";
}

interface ToolCall {
  readonly tool: string;
  readonly input: unknown;
}

/** All are read before the first is made: a mistake in the last leaves the others undone. */
async function callsIn(terminal: Terminal, { positionals }: Given): Promise<readonly ToolCall[]> {
  const tools = positionals.filter((_, at) => at % 2 === 0);
  const inputs = positionals.filter((_, at) => at % 2 === 1);
  const missing = tools.length === 0 ? "a TOOL and its input as JSON" : `input as JSON for ${tools.at(-1)}`;
  if (tools.length === 0 || tools.length > inputs.length)
    throw new UsageError(`stet call needs ${missing}.`, `Usage: stet ${call.usage}`);
  const calls: ToolCall[] = [];
  for (const [at, tool] of tools.entries()) calls.push({ tool, input: await inputOf(terminal, inputs[at]!) });
  return calls;
}

/** `-` is stdin, `@FILE` a file, anything else the JSON itself. */
async function inputOf(terminal: Terminal, argument: string): Promise<unknown> {
  const file = argument.startsWith("@") ? argument.slice(1) : undefined;
  const from = argument === "-" ? "from stdin" : file === undefined ? "given" : `in ${printable(file)}`;
  const ofFile = file === undefined ? argument : textOfFile(terminal, file, "input file");
  const text = argument === "-" ? await textOfStream(terminal.stdin) : ofFile;
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new UsageError(
      `The input ${from} is not JSON: ${printable((error as Error).message)}`,
      `Write the parameters as one JSON object, as in '{"path":"README.md"}', or give - or @FILE.`,
    );
  }
}

async function textOfStream(stdin: NodeJS.ReadStream): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of stdin) parts.push(Buffer.from(part));
  return Buffer.concat(parts).toString();
}
