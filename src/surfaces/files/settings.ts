// How the `files` surface is set up: options first, then the environment, then defaults.
import { FLAG, oneOf, strictOptions, validate, value } from "../../api/options.ts";
import { Refusal } from "../../core/failure.ts";
import { isRecord } from "../../core/is-record.ts";

export type Mode = "store" | "sandbox";

/** How the surface `files` is set up. What is left out comes from the environment, else it is the default. */
export interface FilesOptions {
  /** store: files in memory (default). sandbox: the directory of the workspace. */
  readonly mode?: Mode;
  /** The directory that sandbox mode must have: a workspace in another one is refused. */
  readonly root?: string;
  /** Results as objects instead of strings. */
  readonly typed?: boolean;
  /** For one call; 15 seconds unless given. */
  readonly timeoutMs?: number;
  /** The largest file; in sandbox mode 5,000,000 unless given. */
  readonly maxBytes?: number;
  /** What the stores in memory of one workspace may hold together, old versions included. Default 256 MiB. */
  readonly storeBytes?: number;
  /** Sandbox mode changes nothing. */
  readonly readOnly?: boolean;
  /** Five more tools, one for each command, for prompts and configurations that still use them. */
  readonly legacy?: boolean | undefined;
  /** Where settings that are left out are looked up; `process.env` unless given. */
  readonly env?: Readonly<Record<string, string | undefined>>;
}

export interface Settings {
  readonly mode: Mode;
  readonly root?: string;
  readonly typed: boolean;
  readonly timeoutMs: number;
  /** Absent: no limit besides that of the workspace. */
  readonly maxBytes?: number;
  readonly storeBytes: number;
  readonly readOnly: boolean;
  readonly legacy: boolean;
}

/** What compares with nothing would be no limit at all. */
const POSITIVE = value("a number greater than 0", (given) => Number.isFinite(given) && (given as number) > 0);

const OPTIONS = strictOptions<FilesOptions>({
  mode: oneOf("store", "sandbox"),
  root: value("a path", (given) => typeof given === "string" && given !== ""),
  typed: FLAG,
  timeoutMs: POSITIVE,
  maxBytes: POSITIVE,
  storeBytes: POSITIVE,
  readOnly: FLAG,
  legacy: FLAG,
  env: value("an object of variables", isRecord),
});

const TIMEOUT_S = 15;
const SANDBOX_BYTES = 5_000_000;
const STORE_BYTES = 256 * 1024 * 1024;

export function settingsOf(options: FilesOptions): Settings {
  validate(options, OPTIONS);
  const env = (name: string): Variable | undefined => variable(options.env ?? process.env, name);
  const mode = options.mode ?? modeIn(env("FS_MODE"));
  const root = options.root ?? env("FS_ROOT")?.value;
  const maxBytes =
    options.maxBytes ?? positive(env("FS_MAX_BYTES")) ?? (mode === "sandbox" ? SANDBOX_BYTES : undefined);
  return {
    mode,
    typed: options.typed ?? isTrue(env("TYPED_RESULTS")),
    timeoutMs: options.timeoutMs ?? (positive(env("TOOL_TIMEOUT")) ?? TIMEOUT_S) * 1000,
    storeBytes: options.storeBytes ?? positive(env("FS_STORE_BYTES")) ?? STORE_BYTES,
    readOnly: options.readOnly ?? isTrue(env("FS_READ_ONLY")),
    legacy: options.legacy ?? isTrue(env("FS_LEGACY")),
    ...(root !== undefined && { root }),
    ...(maxBytes !== undefined && { maxBytes }),
  };
}

interface Variable {
  readonly name: string;
  readonly value: string;
}

const OLDER = "INSPECT_AGENTS_";

/** Older configurations use the second prefix. An empty variable counts as not set. */
function variable(env: Readonly<Record<string, string | undefined>>, what: string): Variable | undefined {
  for (const name of [`STET_${what}`, `${OLDER}${what}`]) {
    const value = env[name]?.trim();
    if (value) return { name, value };
  }
  return undefined;
}

/** A misspelt mode must not turn files on disk into files in memory. */
function modeIn(given: Variable | undefined): Mode {
  const mode = given?.value.toLowerCase() ?? "store";
  if (mode === "store" || mode === "sandbox") return mode;
  throw wrong(given!, "store or sandbox");
}

/** A misspelt yes must not leave files writable. */
function isTrue(given: Variable | undefined): boolean {
  if (given === undefined || /^(0|false|no|off)$/i.test(given.value)) return false;
  if (/^(1|true|yes|on)$/i.test(given.value)) return true;
  throw wrong(given, "true or false");
}

/** Older configurations may have anything here: what is no positive number meant the default. */
function positive(given: Variable | undefined): number | undefined {
  if (given === undefined) return undefined;
  const number = /^\d*\.?\d+$/.test(given.value) ? Number(given.value) : Number.NaN;
  if (Number.isFinite(number) && number > 0) return number;
  if (given.name.startsWith(OLDER)) return undefined;
  throw wrong(given, "a number greater than 0");
}

function wrong({ name, value }: Variable, expected: string): Refusal {
  return new Refusal("invalid_input", `${name} is ${JSON.stringify(value)}.`, {
    next: `Set it to ${expected}.`,
    details: { variable: name },
  });
}
