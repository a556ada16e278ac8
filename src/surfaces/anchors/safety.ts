// The safety check of an edit, made before anything is written: a suspicious result never reaches the file.
import { examineEdit, warningText } from "../../check/index.ts";
import { Refusal } from "../../core/failure.ts";
import type { ChangedFile } from "../../kernel/change/report.ts";

export type SafetyMode = "strict" | "warn" | "off";

export interface Safety {
  /** `noted`: nothing to refuse it for, and yet something that is worth a look. */
  readonly status: "clean" | "noted" | "suspicious" | "unchecked";
  /** What is suspicious, then what is merely worth a look. */
  readonly warnings: readonly string[];
  readonly suspicious: readonly string[];
  readonly syntax?: { readonly valid: boolean; readonly errors: readonly { line: number; message: string }[] };
}

export async function checkSafety(file: ChangedFile, mode: SafetyMode): Promise<Safety> {
  if (mode === "off") return { status: "unchecked", warnings: [], suspicious: [] };
  const [before, after] = [file.beforeText ?? null, file.afterText ?? null];
  const { warnings: found, syntax } = await examineEdit({ path: file.path, before, after });
  const suspicious = found.filter(({ severity }) => severity !== "note").map(warningText);
  const notes = found.filter(({ severity }) => severity === "note").map(warningText);
  return {
    status: suspicious.length > 0 ? "suspicious" : notes.length > 0 ? "noted" : "clean",
    warnings: [...suspicious, ...notes],
    suspicious,
    ...(syntax !== null && {
      syntax: {
        valid: syntax.errors.length === 0,
        errors: syntax.errors.map(({ line, message }) => ({ line, message })),
      },
    }),
  };
}

export function safetyRefusal(path: string, { suspicious, status }: Safety): Refusal {
  return new Refusal("safety_check_failed", `The safety check of the result found ${suspicious.join("; ")}.`, {
    path,
    next: 'Read the file again and correct the edit; if the result is what you want, send it again with "safety_check": "warn".',
    details: { suggested_action: "re-read_file", safety_status: status, safety_warnings: suspicious },
  });
}
