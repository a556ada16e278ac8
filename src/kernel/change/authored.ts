// What a caller hands over to be written down: refused in words before anything is done, rather than by the journal afterwards.
import { Refusal } from "../../core/failure.ts";
import { JOURNAL_LIMITS } from "../../core/limits.ts";

const { nameChars, detailLevels, entryBytes } = JOURNAL_LIMITS;

/** Who acts: a session's id and its agent. */
export function checkWho(who: unknown): void {
  if (typeof who !== "object" || who === null || Array.isArray(who)) {
    throw invalid("A session is opened with an object: its id, its agent, or neither.");
  }
  const { id, agent } = who as Readonly<Record<string, unknown>>;
  checkName("The id of a session", id);
  checkName("The agent of a session", agent);
}

/** How the journal names a call. */
export function checkCall({ tool, call }: { readonly tool?: unknown; readonly call?: unknown }): void {
  checkName("tool", tool);
  checkName("call", call);
}

/** What a change writes down besides its files. */
export function checkNote({ of, details }: { readonly of?: unknown; readonly details?: unknown }): void {
  if (of !== undefined && !(Array.isArray(of) && of.every((seq) => Number.isSafeInteger(seq) && seq > 0))) {
    throw invalid("of must be a list of numbers of journal entries.");
  }
  if (details === undefined) return;
  if (typeof details !== "object" || details === null || Array.isArray(details)) {
    throw invalid("details must be an object.");
  }
  weigh(details, detailLevels, { left: entryBytes / 2 });
  try {
    JSON.stringify(details);
  } catch (cause) {
    throw invalid("details holds something that JSON cannot say.", cause);
  }
}

/** Undefined: it was left out. */
export function checkName(what: string, value: unknown): void {
  if (value === undefined) return;
  if (typeof value !== "string") throw invalid(`${what} must be a text, not ${kindOf(value)}.`);
  if (value.length <= nameChars) return;
  throw invalid(`${what} has ${value.length} characters; the limit is ${nameChars}.`);
}

/** Before it is turned into text: that would not come to an end for everything. */
function weigh(value: unknown, levels: number, budget: { left: number }): void {
  budget.left -= typeof value === "string" ? value.length : FEW_BYTES;
  if (budget.left < 0) throw invalid(`details is larger than the ${entryBytes / 2} bytes that the journal takes.`);
  if (typeof value === "bigint") throw invalid("details holds a BigInt, which JSON cannot say.");
  if (typeof value !== "object" || value === null) return;
  if (levels === 0) throw invalid(`details has more than ${detailLevels} levels, or goes round in circles.`);
  for (const [name, each] of Object.entries(value)) {
    budget.left -= name.length;
    weigh(each, levels - 1, budget);
  }
}

/** Of a number, of what parts values. */
const FEW_BYTES = 2;

const kindOf = (value: unknown): string => (value === null ? "null" : typeof value);

function invalid(message: string, cause?: unknown): Refusal {
  return new Refusal("invalid_input", message, {
    next: "Correct it, or leave it out.",
    ...(cause !== undefined && { cause }),
  });
}
