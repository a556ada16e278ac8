// The parameters of `files`: a strict union by command, shown to models as one flat object.
import { z } from "zod";
import { Refusal } from "../../core/failure.ts";
import type { Action } from "../../kernel/policy/policy.ts";

export const LINES = 2000;

const instance = z.string().optional().describe("Name of a separate store. Default: the shared one.");
const filePath = z.string().describe("Path of the file; for every command but ls.");

const LsParams = z.strictObject({ command: z.literal("ls"), instance });
const ReadParams = z.strictObject({
  command: z.literal("read"),
  file_path: filePath,
  offset: z.int().optional().describe("read: first line, 0-based. Default 0."),
  limit: z.int().optional().describe(`read: number of lines. Default ${LINES}, also for 0.`),
  start_column: z.int().min(1).optional().describe("read: first character of that line, 1-based."),
  instance,
});
const WriteParams = z.strictObject({
  command: z.literal("write"),
  file_path: filePath,
  content: z.string().describe("write: the whole text."),
  instance,
});
const EditParams = z.strictObject({
  command: z.literal("edit"),
  file_path: filePath,
  old_string: z.string().describe("edit: text to replace, exactly."),
  new_string: z.string().describe("edit: new text."),
  replace_all: z.boolean().optional().describe("edit: replace every occurrence."),
  expected_count: z.int().optional().describe("edit: refuse unless this many would be replaced."),
  dry_run: z.boolean().optional().describe("edit: change nothing, only say what would happen."),
  instance,
});
const DeleteParams = z.strictObject({ command: z.literal("delete"), file_path: filePath, instance });

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

/** Every field of every command, each optional: models refuse schemas with a union at the root. */
const { command: _command, ...fields } = { ...ReadParams.shape, ...WriteParams.shape, ...EditParams.shape };
const command = z.enum(["ls", "read", "write", "edit", "delete"]).describe("What to do.");
const flat = { ...z.strictObject(fields).partial().shape };

const CALL = "The call: a command with its fields.";
const nested = z.strictObject({ command, ...flat }).describe(CALL);

/** What a model is shown: the commands there are, with the fields that these take. */
export function shownInput(commands: readonly Command[]): z.ZodObject {
  const taken = new Set(commands.flatMap((each) => Object.keys(UNION[each].shape)));
  const shown = Object.fromEntries(Object.entries(flat).filter(([name]) => taken.has(name)));
  return z.object({ params: z.strictObject({ command: command.extract(commands), ...shown }).describe(CALL) });
}

/** Other names that models use for a field. */
export const ALIASES = {
  path: "file_path",
  startColumn: "start_column",
  filename: "file_path",
  old_str: "old_string",
  new_str: "new_string",
} as const;

export const filesInput = z.object({
  params: nested.optional(),
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
    return issue.keys.map((field) => ({
      class: "EXTRA_FIELD",
      field,
      problem: `\`${given.command}\` takes no \`${field}\``,
    }));
  }
  const field = issue.path.join(".");
  if (given[field] === undefined)
    return [{ class: "MISSING_REQUIRED", field, problem: `\`${given.command}\` needs \`${field}\`` }];
  return [
    {
      class: issue.code === "invalid_type" ? "TYPE_MISMATCH" : "UNKNOWN_SCHEMA_ERROR",
      field,
      problem: `\`${field}\` does not fit \`${given.command}\``,
    },
  ];
}

function invalid(problems: readonly Problem[]): Refusal {
  return new Refusal("invalid_input", `${problems.map(({ problem }) => problem).join("; ")}.`, {
    next: "Call files again with the parameters put right.",
    details: { code: problems[0]?.class, problems },
  });
}
