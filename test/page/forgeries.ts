// Entries that stet would never write, and that are entries all the same: each field holds what a page must not obey.
import { type Entry, Workspace } from "stet";
import { memoryWorkspace } from "../support/workspace.ts";

/** Six entries, forged where they are kept: whoever reads the journal is told these. */
export async function forgedWorkspace(): Promise<Workspace> {
  const workspace = memoryWorkspace({ a: "1\n" });
  const agent = workspace.session({ agent: "codex", id: "s1" });
  for (const content of ["2\n", "3\n", "4\n", "5\n"]) await agent.write("a", content, { proof: { by: "waived" } });
  await agent.create("b", "b\n");
  await agent.write("b", "c\n", { proof: { by: "waived" } });
  const { backend } = workspace;
  const made = new Map<number, Entry>();
  async function* log(...given: Parameters<typeof backend.log>): AsyncGenerator<Entry> {
    for await (const entry of backend.log(...given)) {
      const forged = made.get(entry.seq) ?? (forgedEntry({ ...entry }, entry.seq) as unknown as Entry);
      made.set(entry.seq, forged);
      yield forged;
    }
  }
  return new Workspace({ ...backend, log });
}

export const EVIL = '<img src=x onerror="alert(1)">';
const TURNED = "gpj.\u202eexe\u0007\u001b[31m\u2028\ud800";
const NASTY = `${EVIL}${TURNED}<script>alert(2)</script>\u0000';--"javascript:alert(3)`;
const SHA = "a".repeat(64);

/** By the number of the entry. */
function forgedEntry(entry: Record<string, unknown>, seq: number): Record<string, unknown> {
  const names = { agent: NASTY, session: NASTY, tool: NASTY, call: NASTY };
  const change = { path: EVIL.replaceAll("/", ""), from: null, to: SHA, toSize: Number.MAX_SAFE_INTEGER, proof: NASTY };
  const all: Readonly<Record<number, object>> = {
    1: {
      ...names,
      at: "0000-01-01T00:00:00.000Z",
      changes: [change, { ...change, path: `x${TURNED.slice(0, -1)}.png` }],
    },
    2: {
      ...names,
      at: "9999-12-31T23:59:59.999Z",
      outcome: "refused",
      changes: [],
      error: "busy",
      message: NASTY.repeat(50),
      details: {
        paths: [NASTY, { toString: 1 }, 7, null, "x".repeat(2_000_000)],
        proofs: [{ toString: 1, valueOf: 1 }, NASTY, ["a"], null, 5],
        command: { toString: 1 },
        reviewed: true,
        __proto__: null,
        [EVIL]: { [EVIL]: [NASTY, { a: NASTY }] },
        huge: "y".repeat(2_000_000),
        part: { length: 1 },
      },
    },
    3: {
      ...entry,
      agent: "__proto__",
      session: "__proto__",
      tool: "constructor",
      details: JSON.parse(
        '{"__proto__":{"toString":1},"constructor":1,"command":"__proto__","proofs":"x","paths":{"a":1}}',
      ),
      of: Array.from({ length: 200_000 }, (_, n) => n + 1),
    },
    4: {
      outcome: "note",
      changes: [],
      agent: "",
      tool: "",
      of: Array.from({ length: 200_000 }, () => Number.MAX_SAFE_INTEGER),
      details: {
        reviewed: true,
        ...Object.fromEntries(Array.from({ length: 5000 }, (_, n) => [`key ${n}`, "z".repeat(500)])),
      },
    },
    5: {
      ...names,
      changes: [{ path: "a", from: SHA, to: "b".repeat(64), movedFrom: "__proto__", fromSize: 0, toSize: 1 }],
      diff: `--- a/a\n+++ b/a\n@@ -99999999999999999999,2 +1,99999999999999999999 @@ ${NASTY}\n-${NASTY}\n+${NASTY}\n\\ No newline\n`,
      details: { command: NASTY.repeat(100) },
    },
    6: { ...entry, outcome: "external", agent: NASTY, details: { restored: NASTY, purged: { a: 1 }, hunk: EVIL } },
  };
  const { diff: _, ...rest } = entry;
  return { ...(seq === 6 || seq === 3 ? entry : rest), ...all[seq] };
}
