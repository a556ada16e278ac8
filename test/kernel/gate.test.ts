import { describe, expect, it } from "vitest";
import type { Seen, Sha } from "../../src/core/backend.ts";
import { gate, type Proof } from "../../src/kernel/change/gate.ts";
import { wholeSeen } from "../../src/kernel/read/seen.ts";

const A = "a".repeat(64) as Sha;
const B = "b".repeat(64) as Sha;
const file = { sha: A, size: 600 };
const small = { sha: A, size: 500 };
const ask = (proof: Proof, current: typeof file | null, seen?: Seen, strict = false) =>
  gate(proof, { current, seen, strict });

describe("proof by absence", () => {
  it("holds when there is nothing", () => expect(ask({ by: "absence" }, null)).toEqual({ ok: true, proven: true }));
  it("fails when there is something", () =>
    expect(ask({ by: "absence" }, file)).toEqual({ ok: false, kind: "already_exists" }));
});

describe("proof by sha256", () => {
  it("holds for the current version", () =>
    expect(ask({ by: "sha256", sha256: A }, file)).toEqual({ ok: true, proven: true }));
  it("is stale for another", () =>
    expect(ask({ by: "sha256", sha256: B }, file)).toEqual({ ok: false, kind: "stale_file", expected: B }));
  it("is not found without a file", () =>
    expect(ask({ by: "sha256", sha256: A }, null)).toEqual({ ok: false, kind: "not_found" }));
});

describe("proof by session", () => {
  it("holds for what the session was shown", () =>
    expect(ask({ by: "session" }, file, wholeSeen(A))).toEqual({ ok: true, proven: true }));
  it("fails for a file never shown", () =>
    expect(ask({ by: "session" }, file)).toEqual({ ok: false, kind: "unread_file" }));
  it("is stale when the file changed", () =>
    expect(ask({ by: "session" }, file, wholeSeen(B))).toEqual({ ok: false, kind: "stale_file", expected: B }));
  it("may leave a changed file to the edit, with a warning", () =>
    expect(ask({ by: "session", changed: "warn" }, file, wholeSeen(B))).toEqual({
      ok: true,
      proven: false,
      warning: "changed_since_read",
    }));
  it("refuses a changed file in strict mode all the same", () =>
    expect(ask({ by: "session", changed: "warn" }, file, wholeSeen(B), true)).toMatchObject({
      ok: false,
      kind: "stale_file",
    }));
  it("needs nothing for a new file", () => expect(ask({ by: "session" }, null)).toEqual({ ok: true, proven: false }));
  it("lets small files pass: the limit itself, not one byte more", () => {
    expect(ask({ by: "session", freeBelow: 500 }, small)).toEqual({ ok: true, proven: false });
    expect(ask({ by: "session", freeBelow: 500 }, { sha: A, size: 501 })).toEqual({ ok: false, kind: "unread_file" });
  });
  it("lets none pass in strict mode", () =>
    expect(ask({ by: "session", freeBelow: 500 }, small, undefined, true)).toEqual({ ok: false, kind: "unread_file" }));
});

describe("no proof", () => {
  it("anchors are judged by the engine", () =>
    expect(ask({ by: "anchors" }, file)).toEqual({ ok: true, proven: false }));
  it("waived passes", () => expect(ask({ by: "waived" }, file)).toEqual({ ok: true, proven: false }));
  it("waived is refused in strict mode on a file never shown", () => {
    expect(ask({ by: "waived" }, file, undefined, true)).toEqual({ ok: false, kind: "unread_file" });
    expect(ask({ by: "waived" }, null, undefined, true)).toEqual({ ok: true, proven: false });
    expect(ask({ by: "waived" }, file, wholeSeen(A), true)).toEqual({ ok: true, proven: true });
  });
});
