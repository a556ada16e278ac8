// What the value of an option may be: one of the wrong kind is refused, since it would else mean something that was not said.

/** Whether a value fits, and what it should have been, in words. */
export interface ValueKind {
  readonly words: string;
  readonly fits: (value: unknown) => boolean;
}

export const FLAG = kind("true or false", (value) => typeof value === "boolean");
export const TEXT = kind("a text", (value) => typeof value === "string");
export const COUNT = kind("a whole number from 0 on", (value) => isCount(value) || value === Number.POSITIVE_INFINITY);
export const MILLISECONDS = kind(
  "a number of milliseconds",
  (value) => typeof value === "number" && !Number.isNaN(value),
);
/** Those of a symbolic link are none: what is made with them leads elsewhere. */
export const PERMISSIONS = kind("permission bits, such as 0o644", (value) => isCount(value) && value <= 0o7777);
export const CALLED = kind("a function", (value) => typeof value === "function");
export const TEXTS = kind("a list of texts", (value) => isListOf(value, (each) => typeof each === "string"));
export const GROUP = kind("a Set", (value) => isWith(value, "has"));
export const CANCELLED_BY = kind("an AbortSignal", (value) => isWith(value, "addEventListener"));
export const TELLING = kind("what a call is told by, as a tool is given it", (value) => isWith(value, "answered"));
export const TIME_LIMIT = kind("the deadline of a call, as a tool is given it", (value) => isWith(value, "check"));

export function atLeast(fewest: number): ValueKind {
  return kind(`a whole number from ${fewest} on`, (value) => isCount(value) && value >= fewest);
}

export function oneOf(...words: readonly string[]): ValueKind {
  return kind(words.map((each) => JSON.stringify(each)).join(" or "), (value) => words.some((each) => each === value));
}

export function listOf(...words: readonly string[]): ValueKind {
  return kind(`a list of ${words.map((each) => JSON.stringify(each)).join(", ")}`, (value) =>
    isListOf(value, (each) => words.some((word) => word === each)),
  );
}

/** For a message: short, whatever it is. */
export function valueInWords(value: unknown): string {
  if (typeof value === "string") return JSON.stringify(value.slice(0, 100));
  if (typeof value === "function") return "a function";
  if (typeof value === "object" && value !== null) return Array.isArray(value) ? "a list" : "an object";
  return String(value);
}

function kind(words: string, fits: (value: unknown) => boolean): ValueKind {
  return { words, fits };
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function isListOf(value: unknown, fits: (each: unknown) => boolean): boolean {
  return Array.isArray(value) && value.every(fits);
}

function isWith(value: unknown, method: string): boolean {
  return typeof value === "object" && value !== null && typeof Reflect.get(value, method) === "function";
}
