// The parameters of `files`, a strict union by command; and what a command found or did, as a plain value and as an object.
import * as z from "zod";
import { Refusal } from "../../core/failure.ts";
import type { Action } from "../../kernel/policy/policy.ts";

export const LINES = 2000;

const instance = z.string().optional().describe("Name of a separate store.");
const filePath = z.string();

const LsParams = z.strictObject({ command: z.enum(["ls"]), instance });
const ReadParams = z.strictObject({
  command: z.enum(["read"]),
  file_path: filePath,
  offset: z.int().optional().describe("First line, 0-based. Default 0."),
  limit: z.int().optional().describe(`Number of lines. Default ${LINES}, also for 0.`),
  instance,
});
const WriteParams = z.strictObject({
  command: z.enum(["write"]),
  file_path: filePath,
  content: z.string().describe("The whole text."),
  instance,
});
const EditParams = z.strictObject({
  command: z.enum(["edit"]),
  file_path: filePath,
  old_string: z.string().describe("Text to replace, exactly."),
  new_string: z.string().describe("New text."),
  replace_all: z.boolean().optional().describe("Replace every occurrence."),
  expected_count: z.int().optional().describe("Refuse unless this many would be replaced."),
  dry_run: z.boolean().optional().describe("Change nothing, only say what would happen."),
  instance,
});
const DeleteParams = z.strictObject({ command: z.enum(["delete"]), file_path: filePath, instance });

type LsParams = z.output<typeof LsParams>;
export type ReadParams = z.output<typeof ReadParams>;
export type WriteParams = z.output<typeof WriteParams>;
export type EditParams = z.output<typeof EditParams>;
export type DeleteParams = z.output<typeof DeleteParams>;
export type Params = LsParams | ReadParams | WriteParams | EditParams | DeleteParams;

export const UNION = {
  ls: LsParams,
  read: ReadParams,
  write: WriteParams,
  edit: EditParams,
  delete: DeleteParams,
} as const;
export type Command = keyof typeof UNION;

export const ACTIONS = {
  ls: "list",
  read: "read",
  write: "write",
  edit: "edit",
  delete: "delete",
} as const satisfies Record<Command, Action>;

export function isReading(command: Command | undefined): boolean {
  return command === "ls" || command === "read";
}

/** What models may write is flat, so that a field of another command is refused by its name. */
const { command: _command, ...fields } = { ...ReadParams.shape, ...WriteParams.shape, ...EditParams.shape };
const command = z.enum(["ls", "read", "write", "edit", "delete"]);
const flat = { ...z.strictObject(fields).partial().shape };

/** The union, for the commands there are. As `anyOf`: Gemini has no `oneOf` in `parameters`, OpenAI none in strict mode. */
export function shownInput(commands: readonly Command[]): z.ZodObject {
  const union = z.union(commands.map((each) => UNION[each]));
  return z.object({ params: union.describe("The call: a command with its fields.") });
}

/** Other names that models use for a field. */
export const ALIASES = {
  path: "file_path",
  filename: "file_path",
  old_str: "old_string",
  new_str: "new_string",
} as const;

export const filesInput = z.object({
  params: z.strictObject({ command, ...flat }).optional(),
  command: command.optional(),
  ...flat,
});

/** The fields may stand in `params` or, as many models write it, beside it; never in both places. */
export function paramsOf({ params, ...beside }: z.output<typeof filesInput>): Params {
  if (params === undefined) return checked(beside);
  const extra = Object.keys(beside);
  if (extra.length === 0) return checked(params);
  throw invalid(
    extra.map((field) => ({ class: "EXTRA_FIELD", field, problem: `\`${field}\` stands outside of \`params\`` })),
  );
}

interface Problem {
  readonly class: "MISSING_REQUIRED" | "TYPE_MISMATCH" | "EXTRA_FIELD" | "UNKNOWN_SCHEMA_ERROR";
  readonly field: string;
  readonly problem: string;
}

function checked(given: { readonly command?: Command | undefined }): Params {
  if (given.command === undefined) {
    const problem = `\`command\` is required, one of ${Object.keys(UNION).join(", ")}`;
    throw invalid([{ class: "MISSING_REQUIRED", field: "command", problem }]);
  }
  const parsed = UNION[given.command].safeParse(given);
  if (parsed.success) return parsed.data;
  throw invalid(parsed.error.issues.flatMap((issue) => problemsOf(issue, given as Record<string, unknown>)));
}

function problemsOf(issue: z.core.$ZodIssue, given: Record<string, unknown>): Problem[] {
  if (issue.code === "unrecognized_keys") {
    const problem = (field: string) => `\`${given.command}\` takes no \`${field}\``;
    return issue.keys.map((field) => ({ class: "EXTRA_FIELD", field, problem: problem(field) }));
  }
  const field = issue.path.join(".");
  if (given[field] === undefined)
    return [{ class: "MISSING_REQUIRED", field, problem: `\`${given.command}\` needs \`${field}\`` }];
  const kind = issue.code === "invalid_type" ? "TYPE_MISMATCH" : "UNKNOWN_SCHEMA_ERROR";
  return [{ class: kind, field, problem: `\`${field}\` does not fit \`${given.command}\`` }];
}

function invalid(problems: readonly Problem[]): Refusal {
  return new Refusal("invalid_input", `${problems.map(({ problem }) => problem).join("; ")}.`, {
    next: "Call files again with the parameters put right.",
    details: { code: problems[0]?.class, problems },
  });
}

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
