// The gate: nothing changes unless the caller shows that it knows the current version.
import type { Seen, Sha } from "../../core/backend.ts";

/** How the caller shows that it knows the current version of a file. */
export type Proof =
  /** The path must not exist. */
  | {
      /** Which kind of proof it is. */
      readonly by: "absence";
      /** The caller claims to know this: a file there counts as stale, not as in the way. */
      readonly claimed?: true;
    }
  /** The caller names the version it saw. */
  | {
      readonly by: "sha256";
      /** Of the whole file, as a read gave it. */
      readonly sha256: string;
    }
  /** This session was shown the file. */
  | {
      readonly by: "session";
      /** Files of up to so many bytes need no proof. */
      readonly freeBelow?: number;
      /** When the file has changed since: "refuse", or "warn" and let the edit find its place. */
      readonly changed?: "refuse" | "warn";
    }
  /** Every line hash of the edit is a proof of its own, checked by the engine. */
  | { readonly by: "anchors" }
  /** The caller asks for no check; the journal says so. `strict` refuses it on existing files. */
  | { readonly by: "waived" };

export interface GateInput {
  readonly current: { readonly sha: Sha; readonly size: number } | null;
  readonly seen: Seen | undefined;
  readonly strict: boolean;
}

/** `proven`: the caller has seen exactly these bytes. `expected`: the version that a stale proof named. */
export type Verdict =
  | { readonly ok: true; readonly proven: boolean; readonly warning?: "changed_since_read" }
  | { readonly ok: false; readonly kind: "already_exists" | "not_found" | "unread_file" }
  | { readonly ok: false; readonly kind: "stale_file"; readonly expected: string };

/** What a proof names that expects no file. */
export const NOTHING = "";

export function gate(proof: Proof, { current, seen, strict }: GateInput): Verdict {
  const proven = current !== null && seen?.sha === current.sha;
  switch (proof.by) {
    case "absence":
      if (current === null) return { ok: true, proven: true };
      return proof.claimed
        ? { ok: false, kind: "stale_file", expected: NOTHING }
        : { ok: false, kind: "already_exists" };
    case "sha256":
      if (current === null) return { ok: false, kind: "not_found" };
      if (current.sha !== proof.sha256) return { ok: false, kind: "stale_file", expected: proof.sha256 };
      return { ok: true, proven: true };
    case "session":
      if (current === null || proven) return { ok: true, proven };
      if (seen === undefined) {
        const free = !strict && proof.freeBelow !== undefined && current.size <= proof.freeBelow;
        return free ? { ok: true, proven } : { ok: false, kind: "unread_file" };
      }
      if (proof.changed === "warn" && !strict) return { ok: true, proven, warning: "changed_since_read" };
      return { ok: false, kind: "stale_file", expected: seen.sha };
    case "anchors":
      return { ok: true, proven };
    case "waived":
      if (strict && current !== null && !proven) return { ok: false, kind: "unread_file" };
      return { ok: true, proven };
  }
}
