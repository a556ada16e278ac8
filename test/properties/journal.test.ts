import fs from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { openJournal } from "../../src/backends/disk/journal/journal.ts";
import { verifyJournal } from "../../src/backends/disk/journal/verify.ts";
import { parseLine, seal } from "../../src/backends/journal/entry.ts";
import { lineFilter, matches } from "../../src/backends/journal/entry-filter.ts";
import { isPath } from "../../src/backends/journal/entry-form.ts";
import { lastWord } from "../../src/backends/journal/last-words.ts";
import type { Entry, EntryDraft, LogFilter, Outcome } from "../../src/core/backend.ts";
import {
  at,
  change,
  filledJournal,
  journalIn,
  segmentsOf,
  sha,
  temporaryDirectory,
} from "../backends/journal-fixture.ts";
import { anyCharacter } from "../support/any-character.ts";

const anyText = fc.string({ unit: anyCharacter, maxLength: 12 });
const anyPath = anyText.filter((text) => isPath(text));
const names = fc.constantFrom("a", "a", "a", "b", 'c"', "d\u2028", "é/ü");
const outcomes: Outcome[] = ["applied", "refused", "external", "note"];

const drafts = fc.record({
  session: fc.constantFrom("s1", "s2"),
  tool: fc.constantFrom("edit", "write"),
  outcome: fc.constantFrom(...outcomes),
  changes: fc.array(
    fc.record({ path: names.map(at), from: fc.constant(null), to: fc.option(fc.constantFrom("v1", "v2").map(sha)) }),
    { maxLength: 3 },
  ),
});

describe("one line per entry", () => {
  it("whatever it says, and it reads back the same", () => {
    fc.assert(
      fc.property(anyPath, anyText, fc.jsonValue(), (path, message, details) => {
        const draft: EntryDraft = {
          ...change(path, null, "v"),
          session: message,
          message,
          diff: path,
          details: { details },
        };
        const { entry, line } = seal(draft, { seq: 1, at: "2026-01-31T12:00:00.000Z", prev: sha("") });
        expect(line).not.toMatch(/[\0-\x1f\u0085\u2028\u2029]/);
        expect(parseLine(line)).toEqual(entry);
        expect(entry).toMatchObject({ message, changes: [{ path }] });
      }),
    );
  });
});

describe("one flipped bit anywhere", () => {
  it("is found, and never read as an entry", async () => {
    const { dir, journal } = filledJournal(12, { segmentBytes: 2000 });
    const entries = new Set([...journal.entries()].map((entry) => JSON.stringify(entry)));
    const files = segmentsOf(dir);
    const contents = files.map((file) => fs.readFileSync(file));
    const positions = fc.nat({ max: contents.reduce((sum, { length }) => sum + length, 0) - 1 });
    await fc.assert(
      fc.asyncProperty(positions, fc.nat({ max: 7 }), fc.boolean(), async (position, bit, newestFirst) => {
        const [which, offset] = locate(contents, position);
        const altered = Buffer.from(contents[which]!);
        altered[offset]! ^= 1 << bit;
        fs.writeFileSync(files[which]!, altered);
        try {
          const { ok, problems } = await verifyJournal(dir);
          expect({ ok, few: problems.length < 5 }).toEqual({ ok: false, few: true });
          for (const entry of readable(dir, { newestFirst })) expect(entries).toContain(JSON.stringify(entry));
        } finally {
          fs.writeFileSync(files[which]!, contents[which]!);
        }
      }),
      { numRuns: 250 },
    );
  });
});

describe("reading the log", () => {
  it("gives what filtering all entries would give, in either direction", () => {
    const filters: fc.Arbitrary<LogFilter> = fc.record(
      {
        sinceSeq: fc.integer({ min: -1, max: 45 }),
        untilSeq: fc.integer({ min: -1, max: 45 }),
        since: fc.integer({ min: 0, max: 40_000 }).map((ms) => new Date(ms).toISOString()),
        until: fc.integer({ min: 0, max: 40_000 }).map((ms) => new Date(ms).toISOString()),
        session: fc.constantFrom("s1", "s2", "s3"),
        tool: fc.constantFrom("edit", "write"),
        path: names.map(at),
        outcomes: fc.subarray(outcomes),
        newestFirst: fc.boolean(),
        limit: fc.nat({ max: 20 }),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(
        fc.array(drafts, { minLength: 5, maxLength: 40 }),
        fc.array(filters, { minLength: 5 }),
        (written, asked) => {
          let clock = new Date(0);
          const journal = journalIn(temporaryDirectory(), { segmentBytes: 1200, now: () => clock });
          const all = written.map((draft, i) => {
            clock = new Date(1000 * (i + 1));
            return journal.append(draft);
          });
          for (const filter of asked) {
            const wanted = all.filter((entry) => matches(entry, filter));
            if (filter.newestFirst) wanted.reverse();
            expect([...journal.entries(filter)]).toEqual(wanted.slice(0, filter.limit));
            const { line } = seal(all[0]!, all[0]!);
            if (matches(all[0]!, filter)) expect(lineFilter(filter)(Buffer.from(line))).toBe(true);
          }
        },
      ),
      { numRuns: 30 },
    );
  });
});

describe("the last word on each path", () => {
  type Step =
    | { do: "append"; draft: EntryDraft }
    | { do: "abort"; back: number; count: number }
    | { do: "take back" | "reopen" };
  const steps: fc.Arbitrary<Step> = fc.oneof(
    { weight: 10, arbitrary: drafts.map((draft): Step => ({ do: "append", draft })) },
    {
      weight: 2,
      arbitrary: fc
        .tuple(fc.nat({ max: 12 }), fc.integer({ min: 1, max: 12 }))
        .map(([back, count]): Step => ({ do: "abort", back, count })),
    },
    { weight: 2, arbitrary: fc.constantFrom<Step>({ do: "take back" }, { do: "reopen" }) },
  );

  it("is the same from memory, from a snapshot, while following, and from all entries", () => {
    fc.assert(
      fc.property(fc.array(steps, { minLength: 10, maxLength: 60 }), (script) => {
        const dir = temporaryDirectory();
        const options = { segmentBytes: 1500, snapshotEntries: 3 };
        let writer = journalIn(dir, options);
        const follower = journalIn(dir, options);
        let appended = false;
        for (const step of script) {
          if (step.do === "append") writer.append(step.draft);
          if (step.do === "abort" && step.back < writer.tail.seq) {
            const oldest = writer.tail.seq - step.back;
            const of = Array.from({ length: Math.min(step.count, step.back + 1) }, (_, i) => oldest + i);
            writer.append({ session: "s", tool: "recovery", outcome: "aborted", changes: [], of });
          }
          if (step.do === "take back" && appended) writer.unappend();
          if (step.do === "reopen") writer = journalIn(dir, options);
          appended = step.do === "append";
          follower.follow();
        }
        const newestFirst: Entry[] = [...writer.entries({ newestFirst: true })];
        for (const name of ["a", "b", 'c"', "d\u2028", "é/ü"].map(at)) {
          const truth = lastWord(newestFirst, name);
          expect(writer.head(name)).toEqual(truth);
          expect(follower.head(name)).toEqual(truth);
          expect(journalIn(dir, options).head(name)).toEqual(truth);
        }
      }),
      { numRuns: 60 },
    );
  });
});

function locate(contents: readonly Buffer[], position: number): [which: number, offset: number] {
  const which = contents.findIndex((bytes, i) => {
    const before = contents.slice(0, i).reduce((sum, { length }) => sum + length, 0);
    return position < before + bytes.length;
  });
  return [which, position - contents.slice(0, which).reduce((sum, { length }) => sum + length, 0)];
}

/** What can be read before the journal says that it is damaged, or that it is torn. */
function* readable(dir: string, filter: LogFilter): Generator<Entry> {
  try {
    const journal = openJournal(dir);
    try {
      yield* journal.entries(filter);
    } finally {
      journal.close();
    }
  } catch (error) {
    expect(error).toMatchObject({ kind: "journal_damaged" });
  }
}
