// A refusal in the words of a surface: the only place where one becomes an answer. No layer reads words that another made.
import { type Failure, type FailureKind, inOrder, type Refusal } from "../core/failure.ts";
import type { RefusalDetails } from "../core/refusal-details.ts";
import { type FactsOf, type Reason, refuse } from "../words/index.ts";
import { legible, legibleFailure } from "./shared/legible.ts";
import type { AnyTool } from "./tool.ts";

/** The tool that was called, as far as words depend on it. */
type Called = Pick<AnyTool, "name" | "effect" | "refused" | "additive"> & {
  readonly input?: { readonly shape: object };
};

/** What the words of a row are made of. */
export interface Said<Facts = Readonly<Record<string, unknown>>> {
  readonly facts: Facts;
  readonly reason: string | undefined;
  /** In the words of the catalogue. */
  readonly failure: Failure;
  readonly details: RefusalDetails;
  readonly tool: Called;
  /** What the tool was called with, as far as it could be understood. */
  readonly given: Readonly<Record<string, unknown>>;
  /** Whether a tool of this name is offered. */
  readonly offers: (name: string) => boolean;
  /** Whether a tool that is offered does this. */
  readonly does: (...actions: readonly string[]) => boolean;
}

/** What a dialect says in place of what the catalogue says. What is left out stays as it is. */
export interface Row {
  readonly kind?: FailureKind | undefined;
  /** A line that the dialect fixes: what did not happen, why and what to do next stand on lines below it. */
  readonly line?: string | undefined;
  /** The line says what to do next too. */
  readonly lineSaysNext?: boolean;
  /** What did not happen. */
  readonly first?: string;
  readonly why?: string | undefined;
  /** The one thing to do next; it names only tools that are offered. */
  readonly next?: string | undefined;
  /** The same for a reader of the text, who is shown what is attached. */
  readonly nextInText?: string;
  /** What the caller goes on with, below the words: a diff unless given. */
  readonly attached?: string;
  readonly details?: RefusalDetails;
  /** As the caller wrote it. */
  readonly path?: string;
}

type RowOf<Facts> = (said: Said<Facts>) => Row | undefined;

/** By reason, else by kind. A row that gives nothing leaves the words as they are. */
export type Rows = { readonly [Why in Reason]?: RowOf<FactsOf<Why>> } & {
  readonly [Kind in Exclude<FailureKind, Reason>]?: RowOf<Readonly<Record<string, unknown>>>;
};

/** The words of one surface. */
export interface Dialect {
  readonly rows: Rows;
  /** Beneath these rows, what all surfaces say; none for tools that are not those of a surface. */
  readonly common?: Rows;
  /** What is said of every refusal alike. */
  readonly every?: (said: Said, row: Row) => Row;
}

/** Who was called, and who can be called next. */
export interface Asked {
  readonly tool: Called;
  readonly given?: Readonly<Record<string, unknown>>;
  readonly offered: readonly Pick<AnyTool, "name" | "actions">[];
}

/** The refusal as data and as text, both in the words of the dialect. */
export function worded(
  refusal: Refusal,
  { rows, common = COMMON, every }: Dialect,
  { tool, given = {}, offered }: Asked,
) {
  const meant = rootAsDirectory(refusal, tool);
  const failure = legibleFailure(meant.failure);
  const { details = {}, path = "" } = failure;
  const said: Said = {
    facts: meant.facts ?? {},
    reason: meant.reason,
    failure,
    details,
    tool,
    given,
    offers: (name) => offered.some((each) => each.name === name),
    does: (...actions) => offered.some((each) => each.actions.some((action) => actions.includes(action))),
  };
  const found = { ...rowIn(common, meant, said), ...rowIn(rows, meant, said) };
  const row = every?.(said, found) ?? found;
  // What is known of a file since it was read says better what to do than its kind.
  const fitting = details.changedSinceRead === true ? failure.suggestedAction : (row.next ?? failure.suggestedAction);
  const next = legible(fitting || nextFor(failure.kind), path);
  const { line, first = tool.refused, why = failure.message, attached = diffInWords(failure) } = row;
  const message = legible(line === undefined ? why : [line, inOrder([first, why])].filter(Boolean).join("\n"), path);
  const error: Failure = {
    ...failure,
    message,
    suggestedAction: next,
    ...(row.kind !== undefined && { kind: row.kind }),
    ...(row.path !== undefined && { path: row.path }),
    ...(Object.keys(row.details ?? {}).length > 0 && { details: row.details! }),
  };
  const told = row.lineSaysNext ? undefined : (row.nextInText ?? next);
  const words =
    line === undefined ? inOrder([first, message, told]) : [message.trimEnd(), told].filter(Boolean).join("\n");
  return { error, text: words + attached };
}

function rowIn(rows: Rows, { reason, kind }: Refusal, said: Said): Row | undefined {
  const byName = rows as Readonly<Record<string, RowOf<Said["facts"]>>>;
  return (byName[reason ?? kind] ?? byName[kind])?.(said);
}

/** A caller that would write to the root has mistaken a directory for a file; no rule of the owner is in the way. */
function rootAsDirectory(refusal: Refusal, { additive }: Called): Refusal {
  const { rule, source } = refusal.facts ?? {};
  if (refusal.reason !== "denied" || rule !== "root" || source !== "built-in") return refusal;
  return refuse("root_is_directory", { path: refusal.failure.path ?? "", isTaken: additive === true }, refusal);
}

/** What did not happen, why, and the one next action; what differs from the version that the caller knows follows. */
export function inWords(failure: Failure, refused: string): string {
  return inOrder([refused, failure.message, failure.suggestedAction]) + diffInWords(failure);
}

/** What differs from the version that the caller knows. */
export function diffInWords({ details }: Failure): string {
  return typeof details?.diff === "string" ? `\n\nWhat changed since the version you saw:\n${details.diff}` : "";
}

const SMALLER =
  "It is too large to be changed by these tools: leave it as it is, change it another way, such as a command in a shell, or have the owner allow larger files.";

/** Beside the tools that edit. */
const WRITERS: Readonly<Record<string, string>> = { edit_file: "write_file", Edit: "Write", files: "write" };

/** What the catalogue says for programs, in the terms of tools: they have few parameters and delete nothing by the way. */
const COMMON: Rows = {
  too_large: ({ tool, does }) => ({
    next:
      tool.effect !== "read"
        ? SMALLER
        : does("grep", "search")
          ? "Read a range of lines, or search in it."
          : "Read a range of lines.",
  }),
  old_text_of_empty_file: ({ tool, offers, does }) => {
    const writer = WRITERS[tool.name] ?? "";
    const isThere = writer === "write" ? does("write") : offers(writer);
    return { next: isThere ? `Use ${writer} to give it its text.` : nextFor("old_text_not_found") };
  },
  binary: notText,
  odd_bytes: notText,
  character_missing: ({ facts: { character, encoding }, tool }) => {
    if (/\p{Surrogate}/u.test(character) || Object.hasOwn(tool.input?.shape ?? {}, "encoding")) return undefined;
    return { next: `Use only ${encoding === "unknown-8bit" ? "ASCII in the new text" : `characters of ${encoding}`}.` };
  },
  outcome_unknown: () => ({ first: "It is not known whether this was done." }),
};

function notText({ tool }: Said<object>): Row {
  return { next: tool.effect === "read" ? nextFor("binary_file") : "Do not edit it as text." };
}

/** For a refusal that does not say what to do: it names no tool and no parameter, so it holds for whatever is offered. */
export function nextFor(kind: FailureKind): string {
  return NEXT[kind] ?? "Correct the call and try again; if it is refused again, tell the owner of the workspace.";
}

const LATER = "Try again; if it is refused again, tell the owner of the workspace.";

const NEXT: Readonly<Partial<Record<FailureKind, string>>> = {
  not_found: "Check the path.",
  already_exists: "Choose another path.",
  stale_file: "Read the file again and re-apply your change.",
  invalid_path: "Use another path.",
  outside_workspace: "Use a path inside the workspace.",
  permission_denied: "Go on without it, or ask the owner of the workspace.",
  path_changed: LATER,
  not_a_file: "Name a file.",
  not_a_directory: "Name a directory.",
  binary_file: "Leave it as it is: it is not text.",
  file_too_large: "Use a smaller file, or less text.",
  cancelled: "Call it again if it is still wanted.",
  timeout: "Try again, or ask for less in one call.",
  io_error: LATER,
  disk_full: LATER,
  busy: LATER,
  journal_damaged: "Tell the owner of the workspace.",
  not_kept: "Go on without that version: it cannot be brought back.",
  unsupported: "Do it another way, or leave it.",
};
