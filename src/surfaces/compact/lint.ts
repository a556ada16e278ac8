// Diagnostics after a write: asked for only when a linter is plugged in; the built-in validators stand in for it.
import * as z from "zod";
import { lint as builtIn, type LintItem } from "../../check/index.ts";
import { Deadline } from "../../core/deadline.ts";
import type { ChangedFile } from "../../kernel/change/report.ts";
import { plural } from "../../words/plural.ts";
import { legible } from "../shared/legible.ts";
import type { ToolContext } from "../tool.ts";
import { absolutePath } from "./paths.ts";

/** null or undefined: it has nothing to say about this kind of file. */
export type Linter = (path: string, text: string) => Promise<readonly LintItem[] | null | undefined>;

const finding = z.object({
  line: z.number(),
  column: z.number(),
  severity: z.enum(["error", "warning"]),
  message: z.string(),
  code: z.string().optional(),
  source: z.string(),
});

export const lintSchema = z.object({ errors: z.number(), warnings: z.number(), items: z.array(finding) });

export type Lint = z.output<typeof lintSchema>;

const LINTER_MS = 5000;

/** Never fails: the file is written by now. A linter has what is left of the call, and never more than a few seconds. */
export async function lintField(
  linter: Linter | undefined,
  file: ChangedFile,
  { session, warn }: ToolContext,
  deadline: Deadline,
): Promise<{ readonly lint?: Lint }> {
  if (linter === undefined || typeof file.afterText !== "string") return {};
  const path = absolutePath(session, file.path);
  const said = await asked(() => linter(path, file.afterText as string), deadline, warn);
  const { data: given, success } = z.array(finding).nullish().safeParse(said);
  if (!success) warn("The linter said something that is not a list of findings.");
  const found = given ?? (await builtIn(path, file.afterText));
  if (found === null) return {};
  const items = [...found];
  const errors = items.filter(({ severity }) => severity === "error").length;
  return { lint: { errors, warnings: items.length - errors, items } };
}

export function lintText(lint: Lint | undefined): string {
  if (lint === undefined) return "";
  const lines = lint.items.map(
    ({ line, column, severity, message, source }) => `  ${line}:${column} ${severity}: ${legible(message)} (${source})`,
  );
  return `\nLint: ${plural(lint.errors, "error")}, ${plural(lint.warnings, "warning")}${["", ...lines].join("\n")}`;
}

async function asked(ask: () => ReturnType<Linter>, deadline: Deadline, warn: ToolContext["warn"]) {
  const own = new Deadline(Math.min(LINTER_MS, deadline.remainingMs()));
  try {
    return await own.race(ask());
  } catch (error) {
    warn(`The linter gave up (${legible(error instanceof Error ? error.message : String(error))}).`);
    return null;
  }
}
