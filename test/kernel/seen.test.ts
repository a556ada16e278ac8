// What a session was shown of a file: over several reads, after its own edits, and in what a whole overwrite names.
import fc from "fast-check";
import type { Session, Splice } from "stet";
import { describe, expect, it } from "vitest";
import { path } from "../support/assertions.ts";
import { memoryWorkspace } from "../support/workspace.ts";

const waived = { proof: { by: "waived" } } as const;

/** The lines that an overwrite of the whole file would say were never shown. */
async function neverShown(session: Session): Promise<string> {
  const { warnings } = await session.write("a", "overwritten\n", { dryRun: true });
  return /although its lines? ([\d, -]+) w/.exec(warnings.join())?.[1] ?? "none";
}

describe("what was shown", () => {
  const hundred = Array.from({ length: 100 }, (_, n) => `${n + 1}\n`).join("");

  it("adds up over several reads of one version, and is forgotten when another is read", async () => {
    const session = memoryWorkspace({ a: hundred }).session();
    for (const [from, to] of [
      [1, 10],
      [50, 60],
      [11, 20],
    ] as const)
      await session.read("a", { from, to });
    expect(await neverShown(session)).toBe("21-49, 61-100");
    await session.workspace.session().write("a", `new\n${hundred}`, waived);
    await session.read("a", { from: 1, to: 1 });
    expect(await neverShown(session)).toBe("2-101");
  });

  it("is all of the file once all of it was shown", async () => {
    const session = memoryWorkspace({ a: hundred }).session();
    await session.read("a", { from: 1, to: 50 });
    await session.read("a", { from: 51, to: 200 });
    await session.read("a", { from: 1, to: 2 });
    expect(await neverShown(session)).toBe("none");
  });

  it("is a line that was cut, until all of it is shown", async () => {
    const session = memoryWorkspace({ a: "one\ntwo that is long\nthree\n" }).session();
    const { isCut } = await session.read("a", { from: 2, to: 2 }, { pageBytes: 8 });
    expect([isCut, await neverShown(session)]).toEqual([true, "1-3"]);
    await session.read("a", { from: 2, to: 3 });
    expect(await neverShown(session)).toBe("1");
  });
});

describe("after an edit", () => {
  const text = "1\n2\n3\n4\n5\n6\n7\n8\n9\n";
  const rows: readonly (readonly [what: string, splice: Splice, never: string])[] = [
    ["shown lines move with the lines before them", { start: 0, end: 0, text: "new\nnew\n" }, "3-4, 8-11"],
    ["lines that were rewritten count as shown", { start: 14, end: 15, text: "eight" }, "1-2, 6-7, 9"],
    [
      "a line that was not shown is not shown by being joined to one that was",
      { start: 9, end: 10, text: "" },
      "1-2, 5-8",
    ],
  ];

  it.each(rows)("%s", async (_what, splice, never) => {
    const session = memoryWorkspace({ a: text }).session();
    await session.read("a", { from: 3, to: 5 });
    await session.edit("a", () => [splice]);
    expect(await neverShown(session)).toBe(never);
  });

  it("is what a slow look at every character says", async () => {
    const source = fc.string({ unit: fc.constantFrom("a", "b", "\n"), minLength: 1, maxLength: 30 });
    const cuts = fc.array(fc.nat({ max: 30 }), { maxLength: 8 });
    const by = fc.array(fc.string({ unit: fc.constantFrom("x", "\n"), maxLength: 4 }), { minLength: 4, maxLength: 4 });
    const lines = fc.array(fc.boolean(), { minLength: 31, maxLength: 31 });
    await fc.assert(
      fc.asyncProperty(source, cuts, by, lines, async (old, places, texts, flags) => {
        const sorted = [...new Set(places.filter((at) => at <= old.length))].sort((a, b) => a - b);
        const splices = texts.flatMap((into, n) => {
          const [start, end] = [sorted[2 * n], sorted[2 * n + 1]];
          return start === undefined || end === undefined ? [] : [{ start, end, text: into }];
        });
        const count = old.split("\n").length - (old.endsWith("\n") ? 1 : 0);
        const shown = flags.slice(0, count);
        fc.pre(shown.includes(true) && shown.includes(false));
        const session = memoryWorkspace({ a: old }).session();
        for (const [n, flag] of shown.entries()) if (flag) await session.read("a", { from: n + 1, to: n + 1 });
        const { entry } = await session.edit("a", () => splices);
        if (entry === undefined) return;
        const seen = (await session.ledger.get(path("a")))!;
        const now = slowly(old, splices, flags).slice(0, seen.lines);
        const told = now.map((_, n) => seen.shown.some(({ from, to }) => from <= n + 1 && n + 1 <= to));
        expect(told).toEqual(now);
      }),
      { numRuns: 200 },
    );
  });

  /** Every character with whether it was known; a line that no edit touched is as it was. */
  function slowly(old: string, splices: readonly Splice[], flags: readonly boolean[]): boolean[] {
    const characters: { text: string; known: boolean; from?: number }[] = [];
    const touched = new Set<number>();
    const lineAt = (at: number): number => old.slice(0, at).split("\n").length;
    for (let at = 0; at <= old.length; at++) {
      for (const { start, end, text: into } of splices) {
        if (start !== at) continue;
        touched.add(lineAt(start)).add(lineAt(end));
        for (const text of into) characters.push({ text, known: true });
      }
      const gone = splices.some(({ start, end }) => start <= at && at < end);
      if (at < old.length && !gone) {
        const from = lineAt(at);
        characters.push({ text: old[at]!, known: old[at] === "\n" || flags[from - 1]!, from });
      }
    }
    const result: { known: boolean; from: number | undefined }[] = [{ known: true, from: undefined }];
    let last = 1;
    for (const { text, known, from } of characters) {
      const line = result.at(-1)!;
      line.known &&= known;
      line.from ??= from;
      last = from ?? last;
      if (text === "\n") result.push({ known: true, from: undefined });
    }
    const final = result.at(-1)!;
    final.from ??= lineAt(old.length);
    return result.map(({ known, from }) => (from !== undefined && !touched.has(from) ? flags[from - 1]! : known));
  }
});
