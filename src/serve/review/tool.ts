// What a session has changed, as one diff for each file: words for the model, data for the app that shows it.
import type { CallToolRequest, CallToolResult, Tool } from "@modelcontextprotocol/server";
import { counted } from "../../core/counted.ts";
import { Refusal } from "../../core/failure.ts";
import { isRecord } from "../../core/is-record.ts";
import { printable, printableLines } from "../../core/printable.ts";
import type { FileTold, NetAnswer } from "../../page/wire.ts";
import { inWords } from "../../surfaces/call.ts";
import { netTold } from "../page/views/net.ts";
import { found, isAlone } from "../served/lookup.ts";
import { type ServeOptions, servedFor } from "../served/served.ts";
import type { Keying } from "../served/sessions.ts";
import { REVIEW_URI } from "./app.ts";

export const REVIEW = "review_changes";

/** For clients that show apps; their model and their person see the same. */
export function describedReview(options: ServeOptions, withHandle: boolean): Tool {
  const names = options.lookup === undefined ? { enum: options.served.map(({ name }) => name) } : {};
  const workspace = { type: "string", ...names, description: "The workspace to review" };
  const session = { type: "string", description: "The handle that your first call returned" };
  return {
    name: REVIEW,
    title: "Review changes",
    description: "Shows what this session has changed so far, as one diff for each file, however many steps it took.",
    inputSchema: {
      type: "object",
      properties: { ...(!isAlone(options) && { workspace }), ...(withHandle && { session }) },
      ...(!isAlone(options) && { required: ["workspace"] }),
    },
    annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
    _meta: { ui: { resourceUri: REVIEW_URI } },
  };
}

interface Asked {
  readonly request: CallToolRequest["params"];
  readonly agent: string | undefined;
  readonly keying: Keying;
}

export async function reviewChanges(options: ServeOptions, { request, agent, keying }: Asked): Promise<CallToolResult> {
  const { workspace: name, session: handle } = isRecord(request.arguments) ? request.arguments : {};
  let letGo: (() => void) | undefined;
  try {
    const { caller } = keying.callerOf(keying.by === "handle" ? handle : undefined);
    const served =
      options.lookup === undefined ? servedFor(options, name, []) : await found(options.lookup, name, false);
    letGo = served.hold?.();
    const { workspace, id: session } = caller.sessionIn(served, agent);
    const mayShow = (path: string): boolean => workspace.policy.allows(path, "read");
    const net = readable(await netTold(workspace, { session }, { mayShow }));
    return { content: [{ type: "text", text: wordsOf(net) }], structuredContent: { ...net } };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return { content: [{ type: "text", text: inWords(error.failure, "Nothing to show.") }], isError: true };
  } finally {
    letGo?.();
  }
}

/** What a terminal would obey, or turns the direction of text, is escaped: for the model and for the app. */
function readable(net: NetAnswer): NetAnswer {
  const files = net.files.map(({ diff, ...file }) => ({
    ...file,
    diff: "left" in diff ? diff : { ...diff, text: printableLines(diff.text) },
  }));
  return { ...net, files };
}

const MOST_CHARACTERS = 40_000;

function wordsOf({ files, entries, moreFiles }: NetAnswer): string {
  if (files.length === 0) return "This session has changed nothing, or nothing is left of it.";
  const all = files.length + moreFiles;
  const head = `This session changed ${counted(all, "file")} in ${counted(entries, "step")}:\n\n`;
  const text = head + files.map(diffOf).join("\n");
  return text.length <= MOST_CHARACTERS ? text : `${text.slice(0, MOST_CHARACTERS)}\n…(cut off)`;
}

function diffOf({ path, diff }: FileTold): string {
  return "left" in diff ? `${printable(path)}: ${diff.left}\n` : diff.text;
}
