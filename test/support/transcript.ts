// Replays the calls that a page of the documentation shows, and gives the page with the answers as they really are.
import type { Workspace } from "stet";
import { call, type Surface } from "stet/surfaces";
import { memoryWorkspace } from "./workspace.ts";

const BLOCK = /^```(file|call|answer)(?: (\S+))?\n([\s\S]*?)^```$/gm;
const SHA = /\b[0-9a-f]{64}\b/g;
const SESSION_IDS: Readonly<Record<string, string>> = {
  you: "3f2a9c10-58be-4c1d-8b0e-71d2a6c4f935",
  other: "b81d07e4-6c1f-4a0e-9d55-2f7c3b90e1a8",
};
const TIME = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g;

/**
 * ```file PATH   a file that is there at the start
 * ```call [WHO]  a tool and its arguments; WHO is another session than the reader's
 * ```answer      what the call before it answers: sha256 cut to eight digits, and always at the same time
 */
export async function replayed(page: string, surface: Surface): Promise<string> {
  const blocks = [...page.matchAll(BLOCK)].map((match) => {
    const [all, kind, name, body = ""] = match;
    return { kind, name, body, from: match.index, to: match.index + all.length };
  });
  const files = blocks.filter(({ kind }) => kind === "file").map(({ name, body }) => [name, body]);
  const workspace = memoryWorkspace(Object.fromEntries(files));
  const sessions = new Map<string, ReturnType<Workspace["session"]>>();
  const sessionOf = (who: string) => {
    const session = sessions.get(who) ?? workspace.session({ id: SESSION_IDS[who] ?? who, agent: who });
    sessions.set(who, session);
    return session;
  };
  const shas = new Set<string>();
  let answer = "";
  let told = "";
  let done = 0;
  for (const { kind, name, body, from, to } of blocks) {
    if (kind === "call") {
      const [, tool, input] = /^(\w+) ([\s\S]*)$/.exec(body)!;
      const given = JSON.parse(input!.replace(/\b([0-9a-f]{8})…/g, (_, start) => longSha(shas, start)));
      const { text } = await call(sessionOf(name ?? "you"), surface, tool!, given);
      for (const [sha] of text.matchAll(SHA)) shas.add(sha);
      answer = text.replace(SHA, (sha) => `${sha.slice(0, 8)}…`).replace(TIME, "2026-03-02T10:15:00.000Z");
    }
    if (kind !== "answer") continue;
    told += `${page.slice(done, from)}\`\`\`answer\n${answer.replace(/\n*$/, "\n")}\`\`\``;
    done = to;
  }
  return told + page.slice(done);
}

function longSha(shas: ReadonlySet<string>, start: string): string {
  const found = [...shas].filter((sha) => sha.startsWith(start));
  if (found.length === 1) return found[0]!;
  throw new Error(`No answer before this call has a sha256 that begins with ${start}.`);
}
