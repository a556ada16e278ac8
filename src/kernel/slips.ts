// Slips in what a session is told, refused before anything is done.
import type { LineRange } from "../core/backend.ts";
import { Refusal } from "../core/failure.ts";
import { refuseUnknownOptions } from "../core/options/option-names.ts";
import { valueInWords } from "../core/options/option-values.ts";
import { isSha } from "../core/version.ts";
import { NOTHING, type Proof } from "./change/gate.ts";
import { PROOF, TARGET } from "./option-names.ts";
import { isChange } from "./policy/protected.ts";
import type { Target } from "./session-options.ts";

const PROOFS: ReadonlySet<Proof["by"]> = new Set<Proof["by"]>(["absence", "sha256", "session", "anchors", "waived"]);

export function refuseBadChange(targets: unknown, edit: unknown): void {
  if (Array.isArray(targets) && typeof edit === "function") return;
  throw new Refusal("invalid_input", "A change is given a list of targets, and a function that edits them.");
}

export function refuseBadTarget(target: Target): void {
  refuseUnknownOptions(target, TARGET, { noObject: "A target is given as an object." });
  const { path, proof, action } = target;
  if (!PROOFS.has(proof?.by)) {
    throw new Refusal("invalid_input", `A change needs a proof: ${[...PROOFS].join(", ")}.`, { path });
  }
  refuseUnknownOptions(proof, PROOF);
  refuseNoSha(path, proof);
  if (isChange(action)) return;
  throw new Refusal("invalid_input", `"${action}" is not an action that changes anything.`, { path });
}

/** What can be no version is a slip, and not one that has changed since. "" expects no file. */
function refuseNoSha(path: string, proof: Proof): void {
  if (proof.by !== "sha256" || proof.sha256 === NOTHING || isSha(proof.sha256)) return;
  const given = valueInWords(proof.sha256);
  throw new Refusal("invalid_input", `The sha256 of a file has 64 hex digits, 0-9 and a-f; ${given} is none.`, {
    path,
    next: "Give the sha256 as a read gave it.",
  });
}

export function refuseBadRange(range: LineRange | undefined, column = 1): void {
  const numbers =
    range === undefined ||
    (range !== null &&
      Number.isInteger(range.from) &&
      range.from > 0 &&
      (Number.isInteger(range.to) || range.to === Number.POSITIVE_INFINITY));
  if (numbers && Number.isInteger(column) && column > 0) return;
  throw new Refusal("invalid_input", "A range of lines is given by two whole numbers, a column by one.", {
    next: "Lines and columns are numbered from 1.",
  });
}
