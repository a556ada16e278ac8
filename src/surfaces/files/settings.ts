// How the `files` surface is set up: options first, then the environment, then defaults.
import { Refusal } from "../../kernel/failure.ts";

export type Mode = "store" | "sandbox";

export interface FilesOptions {
  /** store: files in memory (default). sandbox: the directory of the workspace. */
  readonly mode?: Mode;
  /** The directory of sandbox mode, for sessions whose workspace has none. */
  readonly root?: string;
  /** Results as objects instead of strings. */
  readonly typed?: boolean;
  readonly timeoutMs?: number;
  readonly maxBytes?: number;
  /** Sandbox mode changes nothing. */
  readonly readOnly?: boolean;
  readonly env?: Readonly<Record<string, string | undefined>>;
}

export interface Settings {
  readonly mode: Mode;
  readonly root?: string;
  readonly typed: boolean;
  readonly timeoutMs: number;
  /** Absent: no limit besides that of the workspace. */
  readonly maxBytes?: number;
  readonly readOnly: boolean;
}

const TIMEOUT_S = 15;
const SANDBOX_BYTES = 5_000_000;

export function settingsOf(options: FilesOptions): Settings {
  const env = (name: string): string | undefined => variable(options.env ?? process.env, name);
  const mode = options.mode ?? modeIn(options.env ?? process.env);
  const root = options.root ?? env("FS_ROOT");
  const maxBytes =
    options.maxBytes ?? positive(env("FS_MAX_BYTES")) ?? (mode === "sandbox" ? SANDBOX_BYTES : undefined);
  return {
    mode,
    typed: options.typed ?? isTrue(env("TYPED_RESULTS")),
    timeoutMs: options.timeoutMs ?? (positive(env("TOOL_TIMEOUT")) ?? TIMEOUT_S) * 1000,
    readOnly: options.readOnly ?? isTrue(env("FS_READ_ONLY")),
    ...(root !== undefined && { root }),
    ...(maxBytes !== undefined && { maxBytes }),
  };
}

/** Older configurations use the second prefix. */
function variable(env: Readonly<Record<string, string | undefined>>, name: string): string | undefined {
  return env[`STET_${name}`]?.trim() || env[`INSPECT_AGENTS_${name}`]?.trim() || undefined;
}

/** A misspelt mode must not turn files on disk into files in memory. */
function modeIn(env: Readonly<Record<string, string | undefined>>): Mode {
  const value = variable(env, "FS_MODE") ?? "store";
  const mode = value.toLowerCase();
  if (mode === "store" || mode === "sandbox") return mode;
  const key = env.STET_FS_MODE?.trim() ? "STET_FS_MODE" : "INSPECT_AGENTS_FS_MODE";
  throw new Refusal("invalid_input", `${key} is ${JSON.stringify(value)}.`, {
    next: "Set it to store or sandbox.",
  });
}

function isTrue(value = ""): boolean {
  return /^(1|true|yes|on)$/i.test(value);
}

/** A value that is no positive number counts as not set. */
function positive(value: string | undefined): number | undefined {
  const number = Number(value);
  return Number.isFinite(number) && number > 0 ? number : undefined;
}
