// What a command found or did: once as the plain value of this dialect, once as an object.
import * as z from "zod";

export interface Outcome {
  readonly plain: string | readonly string[];
  readonly typed: z.output<typeof typedOutput>;
}

export const plainOutput = z.object({ result: z.union([z.string(), z.array(z.string())]) });

/** The fields of all commands: a protocol takes one object, not a union. */
export const typedOutput = z.object({
  files: z.array(z.string()).optional().describe("ls"),
  lines: z.array(z.string()).optional().describe("read: numbered lines"),
  path: z.string().optional().describe("write, edit, delete"),
  replaced: z.int().optional().describe("edit"),
  summary: z.string().optional(),
});

export type Data = z.output<typeof plainOutput> | z.output<typeof typedOutput>;

export function dataOf({ plain, typed }: Outcome, useTyped: boolean): Data {
  if (useTyped) return typed;
  return { result: typeof plain === "string" ? plain : [...plain] };
}

export function textOf(data: Data): string {
  if ("result" in data) return typeof data.result === "string" ? data.result : data.result.join("\n");
  if (data.files !== undefined) return data.files.join("\n");
  if (data.lines !== undefined && data.lines.length > 0) return data.lines.join("\n");
  return data.summary ?? "";
}
