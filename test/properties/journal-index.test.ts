// Questions that an index answers, against the same questions put to every entry one by one.
import fs from "node:fs";
import path from "node:path";
import fc from "fast-check";
import { expect, it } from "vitest";
import type { Journal } from "../../src/backends/disk/journal/journal.ts";
import type { Entry, EntryDraft, LogFilter, Outcome, Path, Sha } from "../../src/core/backend.ts";
import { at, journalIn, linesOf, segmentsOf, sha, temporaryDirectory } from "../backends/journal-fixture.ts";

const KEY = "a".repeat(64);
const SMALL = { segmentBytes: 8000, key: KEY };
const NAMES = ["a", 'b"\\ü\u2028', "dir/c"] as const;
const OUTCOMES = ["applied", "refused", "external", "aborted", "note"] as const;

const name = fc.constantFrom(...NAMES);
const version = fc.option(fc.constantFrom(...["v1", "v2", "v3"].map(sha)), { freq: 3 });
const change = fc.record(
  { path: name.map(at), from: version, to: version, movedFrom: name.map(at) },
  { requiredKeys: ["path", "from", "to"] },
);
const draft: fc.Arbitrary<EntryDraft> = fc.record(
  {
    session: fc.constantFrom("s1", "s2", ...Array<string>(12).fill("s3")),
    tool: fc.constantFrom("edit", "checkpoint"),
    agent: name,
    outcome: fc.constantFrom(...OUTCOMES),
    changes: fc.array(change, { maxLength: 3 }),
    of: fc.array(fc.integer({ min: 1, max: 40 }), { maxLength: 2 }),
    details: fc.constantFrom<Record<string, unknown>>({ purged: ["1"] }, { restored: ["2"] }, { other: 1 }),
  },
  { requiredKeys: ["session", "tool", "outcome", "changes"] },
);
const MOST = 100;
const seq = fc.integer({ min: 1, max: MOST });
const time = fc.integer({ min: 0, max: MOST }).map(timeOf);
const full: fc.Arbitrary<Required<LogFilter>> = fc.record({
  session: fc.constantFrom("s1", "s2", "s4"),
  agent: name,
  tool: fc.constantFrom("edit", "checkpoint"),
  path: name.map(at),
  outcomes: fc.subarray([...OUTCOMES], { minLength: 1, maxLength: 2 }) as fc.Arbitrary<Outcome[]>,
  only: fc.constantFrom("trash" as const, "of entries" as const),
  since: time,
  until: time,
  sinceSeq: seq,
  untilSeq: seq,
  newestFirst: fc.boolean(),
  limit: fc.integer({ min: 1, max: 9 }),
});
/** Few conditions at once: together they would fit nothing. */
const filter: fc.Arbitrary<LogFilter> = full.chain((all) =>
  fc
    .subarray(Object.keys(all), { minLength: 1, maxLength: 3 })
    .map((keys) => Object.fromEntries(Object.entries(all).filter(([key]) => [...keys, "newestFirst"].includes(key)))),
);

type Damage = "none" | "missing" | "altered" | "exchanged" | "of another" | "of another key" | "a directory";
const damage = fc.constantFrom<Damage>(
  "none",
  "missing",
  "altered",
  "exchanged",
  "of another",
  "of another key",
  "a directory",
);

it("are answered alike, whatever became of the indexes and whoever appends meanwhile", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(draft, { minLength: 40, maxLength: MOST - 10, size: "max" }),
      fc.array(damage, { minLength: 1, maxLength: 8 }),
      fc.array(filter, { minLength: 10, maxLength: 30, size: "max" }),
      fc.array(draft, { maxLength: 6 }),
      async (drafts, damages, filters, later) => {
        const dir = temporaryDirectory();
        const journal = written(dir, drafts);
        spoil(dir, damages, drafts);
        const other = journalIn(dir, { ...SMALL, now: clockFrom(drafts.length) });
        for (const each of later) other.append(each);
        journal.follow();
        const entries = segmentsOf(dir)
          .flatMap(linesOf)
          .map((line) => JSON.parse(line) as Entry);
        expect(entries.length).toBe(drafts.length + later.length);
        for (const asked of filters) {
          expect([...journal.entries(asked)]).toEqual(naive(entries, asked));
          expect([...other.entries(asked)]).toEqual(naive(entries, asked));
        }
        const wanted = new Set([sha("v1"), sha("v3")]);
        expect(await collected(journal.uses(wanted))).toEqual(naiveUses(entries, wanted));
      },
    ),
    { numRuns: process.env.STET_HEAVY ? 1000 : 25 },
  );
});

function written(dir: string, drafts: readonly EntryDraft[], key = KEY): Journal {
  const journal = journalIn(dir, { ...SMALL, key, now: clockFrom(0) });
  for (const each of drafts) journal.append(each);
  return journal;
}

/** A second later at every look, now and then back again, as clocks are set. */
function clockFrom(start: number): () => Date {
  let n = start;
  return () => new Date(timeOf(++n % 7 === 0 ? n - 5 : n));
}

function timeOf(second: number): string {
  return new Date(Date.UTC(2026, 0, 1) + second * 1000).toISOString();
}

function spoil(dir: string, damages: readonly Damage[], drafts: readonly EntryDraft[]): void {
  const files = fs.readdirSync(dir).filter((each) => /\.(?:index|uses)$/.test(each));
  const others = temporaryDirectory();
  written(others, drafts.slice().reverse(), damages.includes("of another key") ? "b".repeat(64) : KEY).close();
  const before = files.map((file) => fs.readFileSync(path.join(dir, file)));
  for (const [n, file] of files.entries()) {
    const place = path.join(dir, file);
    const what = damages[n % damages.length];
    if (what === "missing" || what === "a directory") fs.rmSync(place);
    if (what === "a directory") fs.mkdirSync(place);
    if (what === "altered") {
      const bytes = Buffer.from(before[n]!);
      bytes[(n * 37) % bytes.length]! ^= 1;
      fs.writeFileSync(place, bytes);
    }
    if (what === "exchanged") fs.writeFileSync(place, before[(n + 2) % files.length]!);
    if (what?.startsWith("of another") && fs.existsSync(path.join(others, file)))
      fs.copyFileSync(path.join(others, file), place);
  }
}

function naive(entries: readonly Entry[], asked: LogFilter): Entry[] {
  const fits = (entry: Entry): boolean =>
    entry.seq >= (asked.sinceSeq ?? 1) &&
    entry.seq <= (asked.untilSeq ?? Number.POSITIVE_INFINITY) &&
    entry.at >= (asked.since ?? "") &&
    entry.at <= (asked.until ?? "9") &&
    [asked.session ?? entry.session].includes(entry.session) &&
    [asked.agent ?? entry.agent].includes(entry.agent) &&
    [asked.tool ?? entry.tool].includes(entry.tool) &&
    (asked.outcomes ?? OUTCOMES).includes(entry.outcome) &&
    (asked.path === undefined || entry.changes.some((each) => [each.path, each.movedFrom].includes(asked.path))) &&
    (asked.only !== "of entries" || Boolean(entry.of?.length)) &&
    (asked.only !== "trash" || bearsOnTrash(entry));
  const found = entries.filter(fits);
  return (asked.newestFirst ? found.reverse() : found).slice(0, asked.limit);
}

function bearsOnTrash({ changes, of, details }: Entry): boolean {
  const gone = changes.filter(({ from, to, movedFrom }) => from !== null && (to === null || movedFrom));
  return gone.length > 0 || Boolean(of?.length) || Boolean(details && ("purged" in details || "restored" in details));
}

function naiveUses(entries: readonly Entry[], wanted: ReadonlySet<Sha>) {
  return entries
    .filter(({ outcome }) => outcome === "applied" || outcome === "external")
    .flatMap(({ seq, at: time, changes }) =>
      changes.flatMap(({ path, from, to }: { path: Path; from: Sha | null; to: Sha | null }) =>
        [from, to]
          .filter((each) => each !== null && wanted.has(each))
          .map((each) => ({ seq, at: Date.parse(time), path, sha: each })),
      ),
    );
}

async function collected<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}
