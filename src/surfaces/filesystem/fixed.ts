// What all tools of this dialect have: results as the reference server gives them, its paths, and its way with what was seen.
import { join } from "node:path";
import * as z from "zod";
import type { Proof } from "../../kernel/change/gate.ts";
import type { Session } from "../../kernel/session.ts";

/** A text, which is the structured result too. */
export const words = {
  output: z.object({ content: z.string() }),
  text: ({ content }: { readonly content: string }): string => content,
  result: (_data: unknown, text: string) => resultOf(text, text),
};

/** The text of files: structured, warnings stand beside it and never in it. */
export const contents = {
  ...words,
  result: ({ content }: { readonly content: string }, text: string) => resultOf(text, content),
};

/** What tools that tell of files have in common. */
export const looking = { effect: "read", actions: ["list"], ...words } as const;

function resultOf(text: string, content: string) {
  return { content: [{ type: "text", text } as const], structuredContent: { content } };
}

export const pathField = z.string().describe("Absolute, or relative to the root");
export const ALIASES = { file_path: "path", filename: "path", directory: "path" } as const;

/** What this session never saw is changed as it is, unless the workspace is strict; what changed since it was read is refused. */
export const AS_SEEN: Proof = { by: "session", freeBelow: Number.MAX_SAFE_INTEGER };

/** Where other programs find it; in a workspace without a directory the root is "/". */
export function absolute({ workspace: { backend } }: Session, path: string): string {
  return backend.directory === undefined ? `/${path}` : join(backend.directory, path);
}
