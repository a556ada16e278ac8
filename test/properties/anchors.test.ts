import fc from "fast-check";
import { Refusal } from "stet";
import { anchorIndex, applySplices, editByAnchors, reverseSplices, splitLines } from "stet/edit";
import { describe, expect, it } from "vitest";
import type { AnchorOperation } from "../support/anchors.ts";

// Few words, so that lines repeat; some blank, some brackets, some odd characters.
const word = fc.constantFrom("", "}", "  x = 1;", "x = 1;", "call(a);", "é 😀", "\uD800", "nul \0", "$& $1");
const fresh = fc.nat({ max: 9999 }).map((n) => `fresh ${n}`);
const line = fc.oneof({ weight: 2, arbitrary: word }, { weight: 1, arbitrary: fresh });

function textOf(eols: readonly string[]) {
  return fc
    .record({
      lines: fc.array(fc.tuple(line, fc.constantFrom(...eols)), { minLength: 1, maxLength: 14 }),
      closed: fc.boolean(),
      bom: fc.boolean(),
    })
    .map(({ lines, closed, bom }) => {
      const body = lines.map(([text, eol], at) => text + (at === lines.length - 1 && !closed ? "" : eol)).join("");
      return (bom ? "\uFEFF" : "") + body;
    });
}

interface Draft {
  readonly op: AnchorOperation["op"];
  readonly at: number;
  readonly span: number;
  readonly content: string;
}

const draft: fc.Arbitrary<Draft> = fc.record({
  op: fc.constantFrom("replace_line", "replace_range", "insert_after", "insert_before", "delete_line", "delete_range"),
  at: fc.nat({ max: 13 }),
  span: fc.integer({ min: 1, max: 4 }),
  content: fc
    .array(line, { minLength: 1, maxLength: 3 })
    .chain((lines) => fc.constantFrom(lines.join("\n"), `${lines.join("\n")}\n`)),
});

/** An operation that names its lines beyond doubt: whole digest and occurrence, or for ranges whole digest and number. */
function operationOn(text: string, { op, at, span, content }: Draft): AnchorOperation | undefined {
  const index = anchorIndex(text);
  const first = index.lines[at];
  const last = index.lines[at + span];
  if (first === undefined) return undefined;
  const occurrence = index.find(first.digest).indexOf(first.number) + 1;
  if (op === "delete_line") return { op, hash: first.digest, occurrence };
  if (op === "replace_line" || op === "insert_after" || op === "insert_before")
    return { op, hash: first.digest, occurrence, content };
  if (last === undefined) return undefined;
  const ends = { start_hash: `${first.number}#${first.digest}`, end_hash: `${last.number}#${last.digest}` };
  return op === "delete_range" ? { op, ...ends } : { op, ...ends, content };
}

function attempt(text: string, operations: readonly AnchorOperation[]) {
  try {
    return editByAnchors(text, operations);
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
}

/** The batch on an array of lines, written down as plainly as can be. */
function expectedLines(text: string, drafts: readonly Draft[]): string[] {
  const lines = anchorIndex(text).lines.map((one) => one.text);
  const contentOf = ({ content }: Draft) => (content === "" ? [""] : splitLines(content).map((one) => one.text));
  const isRange = ({ op }: Draft) => op.endsWith("range");
  const covers = (one: Draft, at: number) => at >= one.at && at <= one.at + (isRange(one) ? one.span : 0);
  const out: string[] = [];
  for (let at = 0; at <= lines.length; at++) {
    for (const one of drafts) if (one.op === "insert_after" && one.at + 1 === at) out.push(...contentOf(one));
    for (const one of drafts) if (one.op === "insert_before" && one.at === at) out.push(...contentOf(one));
    const span = drafts.find((one) => !one.op.startsWith("insert") && covers(one, at));
    if (span?.op.startsWith("replace") && span.at === at) out.push(...contentOf(span));
    if (span === undefined && at < lines.length) out.push(lines[at]!);
  }
  return out;
}

describe("edits by anchors", () => {
  it("a batch does to the lines what the same batch does to an array, or is refused", () => {
    let applied = 0;
    fc.assert(
      fc.property(textOf(["\n", "\r\n"]), fc.array(draft, { minLength: 1, maxLength: 5 }), (text, drafts) => {
        const usable = drafts.filter((one) => operationOn(text, one) !== undefined);
        fc.pre(usable.length > 0);
        const result = attempt(
          text,
          usable.map((one) => operationOn(text, one)!),
        );
        if (result instanceof Refusal) {
          expect(result.kind).toBe("overlapping_operations");
          return;
        }
        applied++;
        expect(anchorIndex(result.text).lines.map((one) => one.text)).toEqual(expectedLines(text, usable));
        expect(result.linesAfter).toBe(result.linesBefore + result.addedLines - result.removedLines);
      }),
      { numRuns: 400 },
    );
    expect(applied).toBeGreaterThan(100);
  });

  it("also with lone carriage returns, which are characters of their lines", () => {
    fc.assert(
      fc.property(textOf(["\n", "\r\n", "\r"]), draft, (text, one) => {
        const operation = operationOn(text, one);
        // A line end that is given to a last line "a\\r" makes it "a\\r\\n", which is another line.
        fc.pre(operation !== undefined && !text.endsWith("\r"));
        const result = attempt(text, [operation]);
        if (result instanceof Refusal) throw result;
        expect(anchorIndex(result.text).lines.map((line) => line.text)).toEqual(expectedLines(text, [one]));
      }),
      { numRuns: 200 },
    );
  });

  it("no splice touches a byte of another line, and reversing them gives the text back", () => {
    fc.assert(
      fc.property(textOf(["\n", "\r\n"]), fc.array(draft, { minLength: 1, maxLength: 4 }), (text, drafts) => {
        const operations = drafts.flatMap((one) => operationOn(text, one) ?? []);
        fc.pre(operations.length > 0);
        const result = attempt(text, operations);
        if (result instanceof Refusal) return;
        expect(applySplices(text, result.splices)).toBe(result.text);
        expect(applySplices(result.text, reverseSplices(text, result.splices))).toBe(text);
        const touched = (number: number) =>
          result.targets.some(
            ({ op, startLine, endLine }) => !op.startsWith("insert") && number >= startLine && number <= endLine,
          );
        for (const kept of anchorIndex(text).lines.filter(({ number }) => !touched(number))) {
          const end = kept.start + kept.text.length + kept.eol.length;
          expect(result.splices.filter((splice) => splice.start < end && splice.end > kept.start)).toEqual([]);
        }
        if (text.startsWith("\uFEFF")) expect(result.text.startsWith("\uFEFF")).toBe(true);
      }),
      { numRuns: 300 },
    );
  });

  it("a batch equals its operations one by one from the bottom", () => {
    fc.assert(
      fc.property(textOf(["\n", "\r\n"]), fc.array(draft, { minLength: 2, maxLength: 5 }), (text, drafts) => {
        // One operation for each place: what two at one place do is said by the rules of the batch alone.
        const apart = drafts.filter((one, n) => drafts.findIndex((other) => Math.abs(other.at - one.at) <= 1) === n);
        const placed = apart.filter((one) => operationOn(text, one) !== undefined).sort((a, b) => a.at - b.at);
        fc.pre(placed.length > 1);
        const together = attempt(
          text,
          placed.map((one) => operationOn(text, one)!),
        );
        if (together instanceof Refusal) {
          expect(["overlapping_operations", "already_applied"]).toContain(together.kind);
          return;
        }
        const oneByOne = placed.reduceRight((now, one) => {
          const done = attempt(now, [operationOn(now, one)!]);
          // Alone, one that changes nothing is refused.
          if (done instanceof Refusal) expect(done.kind).toBe("already_applied");
          return done instanceof Refusal ? now : done.text;
        }, text);
        expect(together.text).toBe(oneByOne);
      }),
      { numRuns: 300 },
    );
  });

  it("equal lines are never told apart by being first", () => {
    fc.assert(
      fc.property(textOf(["\n"]), fc.nat({ max: 13 }), fc.integer({ min: 4, max: 32 }), (text, at, length) => {
        const index = anchorIndex(text);
        const target = index.lines[at];
        fc.pre(target !== undefined);
        const hash = target.digest.slice(0, length);
        const result = attempt(text, [{ op: "replace_line", hash, content: "new" }]);
        const several = index.lines.filter((one) => one.digest.startsWith(hash)).length > 1;
        if (!(result instanceof Refusal)) {
          expect(several || target.quality === "low").toBe(false);
          return;
        }
        const ambiguous = ["anchor_ambiguous", "anchor_context_ambiguous"];
        expect(target.quality === "low" ? ["anchor_low_entropy"] : several ? ambiguous : []).toContain(result.kind);
      }),
      { numRuns: 300 },
    );
  });
});
