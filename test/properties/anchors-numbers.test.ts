// A session reads, edits and goes on with any anchor that it was ever shown: each lands on the line that it was shown for.
import fc from "fast-check";
import { Workspace } from "stet";
import { lineHash } from "stet/edit";
import { anchors, call } from "stet/surfaces";
import { expect, it } from "vitest";
import { textAt } from "../support/assertions.ts";
import { BACKENDS } from "../support/workspace.ts";

const [, inMemory] = BACKENDS.find(([name]) => name === "memory")!;

interface Line {
  readonly id: number;
  readonly text: string;
}

/** A number that an answer gave for a line. */
interface Shown extends Line {
  readonly number: number;
}

const start = fc
  .array(fc.constantFrom(["x"], ["a", "x", "b"], ["a", "y", "b"], ["u1"], ["u2"]), { minLength: 2, maxLength: 6 })
  .map((blocks) => blocks.flat());
const newText = fc.array(fc.constantFrom("x", "y", "a", "new"), { minLength: 1, maxLength: 3 });
const step = fc.oneof(
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant("read" as const),
      offset: fc.nat(8),
      limit: fc.integer({ min: 1, max: 20 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("write" as const), at: fc.nat(8), lines: newText }) },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constantFrom(
        "replace_line" as const,
        "insert_before" as const,
        "insert_after" as const,
        "delete_line" as const,
        "delete_range" as const,
      ),
      pick: fc.nat(200),
      other: fc.nat(200),
      lines: newText,
      how: fc.constantFrom("N#hash" as const, "line" as const, "hash" as const, "version" as const),
    }),
  },
);

it("an anchor that was shown for a line changes that line, or none", async () => {
  let landed = 0;
  let refused = 0;
  await fc.assert(
    fc.asyncProperty(
      start,
      fc.boolean(),
      fc.array(step, { minLength: 2, maxLength: 8 }),
      async (texts, isOpen, steps) => {
        let next = 0;
        const made = (list: readonly string[]): Line[] => list.map((text) => ({ id: next++, text }));
        let file = made(texts);
        let shown: Shown[] = [];
        /** Lines that were replaced or deleted since a read showed all that were equal to them. */
        const gone = new Set<string>();
        let read = file;
        const workspace = new Workspace(inMemory({ "a.txt": isOpen ? joined(file).trimEnd() : joined(file) }));
        const session = workspace.session({ id: "mine" });
        const ask = (tool: string, input: object) => call(session, anchors, tool, { path: "a.txt", ...input });
        const showing = (numbers: readonly number[]): Shown[] =>
          numbers.flatMap((number) => (file[number - 1] ? { ...file[number - 1]!, number } : []));
        // A number that is given anew means that line alone; in the answer to an edit it may be taken for an older one.
        const given = (numbers: readonly number[]): Shown[] => {
          const isOutside = ({ text }: Line) =>
            file.some((line, at) => line.text === text && !numbers.includes(at + 1));
          for (const line of showing(numbers)) if (!isOutside(line)) gone.delete(line.text);
          read = file;
          return [...shown.filter(({ number }) => !numbers.includes(number)), ...showing(numbers)];
        };

        await ask("read_file", { hashes: true });
        shown = showing(file.map((_, at) => at + 1));
        for (const one of steps) {
          if (one.do === "read") {
            const { offset, limit } = one;
            await ask("read_file", { hashes: true, offset, limit });
            const numbers = Array.from({ length: limit }, (_, n) => offset + 1 + n).filter(
              (number) => number <= file.length,
            );
            shown = given(numbers);
            continue;
          }
          if (one.do === "write") {
            file = file.toSpliced(Math.min(one.at, file.length), 0, ...made(one.lines));
            await ask("write_file", { content: joined(file) });
            shown = given([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
            continue;
          }
          const [first, last] = [shown[one.pick % shown.length], shown[one.other % shown.length]];
          if (first === undefined || last === undefined) continue;
          const named = ({ number, text }: Shown) => (one.how === "hash" ? "" : `${number}#`) + lineHash(text);
          const { how } = one;
          const isRange = one.do === "delete_range";
          const bare = { hash: lineHash(first.text) };
          const single =
            one.how === "hash" ? bare : one.how === "line" ? { ...bare, line: first.number } : { hash: named(first) };
          const operation = {
            op: one.do,
            ...(isRange ? { start_hash: named(first), end_hash: named(last) } : single),
            ...(!one.do.startsWith("delete") && { content: one.lines.join("\n") }),
          };
          const version = await ask("read_file", { offset: 1000 });
          const file_version = version.ok ? (version.data as { file_version: string }).file_version : "";
          const result = await ask("edit", {
            operations: [operation],
            safety_check: "off",
            ...(one.how === "version" && { expected_file_version: file_version }),
          });
          if (!result.ok) {
            refused++;
            const { candidates } = (result.error.details ?? {}) as { candidates?: { line: number }[] };
            // What a refusal lists was shown; its numbers may be taken for older ones.
            if (candidates !== undefined) shown = [...shown, ...showing(candidates.map(({ line }) => line))];
            continue;
          }
          const [from, to] = [meant(first), isRange ? meant(last) : meant(first)].sort((a, b) => a - b) as [
            number,
            number,
          ];
          const put = made("content" in operation ? one.lines : []);
          // A line that is replaced by itself and others is still that line.
          const same = one.do === "replace_line" ? put.findIndex(({ text }) => text === first.text) : -1;
          if (same !== -1) put[same] = file[from]!;
          const places = {
            replace_line: [from, 1],
            insert_before: [from, 0],
            insert_after: [from + 1, 0],
            delete_line: [from, 1],
            delete_range: [from, to - from + 1],
          } as const;
          const [at, count] = places[one.do];
          for (const line of file.slice(at, at + count)) if (!put.includes(line)) gone.add(line.text);
          file = file.toSpliced(at, count, ...put);
          const now = (await textAt(workspace.backend, "a.txt"))?.trimEnd();
          expect(now, JSON.stringify({ operation, shown })).toBe(joined(file).trimEnd());
          landed++;
          const echo = (result.data as { diff_preview?: string[] }).diff_preview ?? [];
          shown = [...shown, ...showing(echo.flatMap((line) => /^[ +](\d+)#/.exec(line)?.[1] ?? []).map(Number))];

          /** The place of the only line that this anchor was ever shown for; it may not be gone. */
          function meant({ number, text }: Shown): number {
            const equals = file.filter((line) => line.text === text);
            // Twins that came and went between are the same line to everybody.
            const isOnly = [read, file].every((lines) => lines.filter((line) => line.text === text).length === 1);
            if (isOnly) return file.indexOf(equals[0]!);
            const isShown = ({ id }: Line) => shown.some((line) => line.id === id);
            const bare = equals.filter((line) => isShown(line) && !gone.has(text));
            const numbered = shown.filter((line) => line.text === text && line.number === number);
            const ids = new Set((how === "hash" ? bare : numbered).map(({ id }) => id));
            expect(ids.size, JSON.stringify({ operation, file, shown, gone: [...gone] })).toBe(1);
            const at = file.findIndex(({ id }) => ids.has(id));
            expect(at, JSON.stringify({ operation, file, shown })).not.toBe(-1);
            return at;
          }
        }
      },
    ),
    { numRuns: process.env.STET_HEAVY === "1" ? 1000 : 60 },
  );
  expect(landed).toBeGreaterThan(60);
  expect(refused).toBeLessThan(2 * landed);
}, 60_000);

function joined(lines: readonly Line[]): string {
  return lines.map(({ text }) => `${text}\n`).join("");
}
