// The journal: whatever an entry says is read back, a filter finds what a look at every entry finds, and damage is found.
import { readFileSync, writeFileSync } from "node:fs";
import fc from "fast-check";
import {
  type Backend,
  bytesOf,
  type Entry,
  type EntryDraft,
  type LogFilter,
  type Outcome,
  type Path,
  Refusal,
  type Sha,
  versionOf,
} from "stet";
import { disk } from "stet/backends/disk";
import { memory } from "stet/backends/memory";
import { parseLine, seal } from "stet/backends/parts";
import { describe, expect, it } from "vitest";
import { chainedBytesIn, opened, segmentOf } from "../internal/support/forged.ts";
import { anyCharacter } from "../support/any-character.ts";
import { all } from "../support/assertions.ts";
import { tempDir } from "../support/temp.ts";
import { directoryWith } from "../support/workspace.ts";

const HEAVY = process.env.STET_HEAVY === "1";
const NAMES = ["a", 'b"\\ü\u2028', "dir/c"] as const;
const OUTCOMES = ["applied", "refused", "external", "aborted", "note"] as const;
const SHAS = ["1", "2", "3"].map((digit) => digit.repeat(64) as Sha);

const at = (name: string): Path => name as Path;
const name = fc.constantFrom(...NAMES);
const version = fc.option(fc.constantFrom(...SHAS), { freq: 3 });
const change = fc.record(
  { path: name.map(at), from: version, to: version, movedFrom: name.map(at) },
  { requiredKeys: ["path", "from", "to"] },
);
const draft: fc.Arbitrary<EntryDraft> = fc.record(
  {
    session: fc.constantFrom("s1", "s2", ...Array<string>(6).fill("s3")),
    tool: fc.constantFrom("edit", "checkpoint"),
    agent: name,
    outcome: fc.constantFrom(...OUTCOMES),
    changes: fc.array(change, { maxLength: 3 }),
    of: fc.array(fc.integer({ min: 1, max: 40 }), { maxLength: 2 }),
  },
  { requiredKeys: ["session", "tool", "outcome", "changes"] },
);
const seq = fc.integer({ min: 1, max: 60 });
const full: fc.Arbitrary<Required<Omit<LogFilter, "since" | "until" | "only">>> = fc.record({
  session: fc.constantFrom("s1", "s2", "s4"),
  agent: name,
  tool: fc.constantFrom("edit", "checkpoint"),
  path: name.map(at),
  outcomes: fc.subarray([...OUTCOMES], { minLength: 1, maxLength: 2 }) as fc.Arbitrary<Outcome[]>,
  sinceSeq: seq,
  untilSeq: seq,
  newestFirst: fc.boolean(),
  limit: fc.integer({ min: 1, max: 9 }),
});
/** Few conditions at once: together they would fit nothing. */
const filter: fc.Arbitrary<LogFilter> = full.chain((every) =>
  fc
    .subarray(Object.keys(every), { minLength: 1, maxLength: 3 })
    .map((keys) => Object.fromEntries(Object.entries(every).filter(([key]) => [...keys, "newestFirst"].includes(key)))),
);

it("an entry is one line, whatever it says, and it reads back the same", () => {
  const anyText = fc.string({ unit: anyCharacter, maxLength: 12 });
  fc.assert(
    fc.property(name, anyText, fc.jsonValue(), (path, message, details) => {
      const changes = [{ path: at(path), from: null, to: SHAS[0]!, proof: "session" }];
      const written: EntryDraft = {
        session: message,
        tool: "edit",
        outcome: "applied",
        changes,
        message,
        details: { details },
      };
      const { entry, line } = seal(written, { seq: 1, at: "2026-01-31T12:00:00.000Z", prev: SHAS[1]! });
      expect(line).not.toMatch(/[\0-\x1f\u0085\u2028\u2029]/);
      expect(parseLine(line)).toEqual(entry);
      expect(entry).toMatchObject({ message, changes: [{ path }] });
    }),
  );
});

const JOURNALS: readonly (readonly [string, () => { open: () => Backend }])[] = [
  [
    "memory",
    () => {
      const backend = memory();
      return { open: () => backend };
    },
  ],
  [
    "disk",
    () => {
      const root = directoryWith({});
      return { open: () => disk({ root, durability: "fast", segmentBytes: 8000 }) };
    },
  ],
];

describe.each(JOURNALS)("on %s", (_name, make) => {
  it("a filter finds what a look at every entry finds, whoever appends meanwhile", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(draft, { minLength: 20, maxLength: 30, size: "max" }),
        fc.array(filter, { minLength: 5, maxLength: 15, size: "max" }),
        async (drafts, filters) => {
          const { open } = make();
          const [backend, other] = [open(), open()];
          const entries: Entry[] = [];
          for (const [n, each] of drafts.entries()) entries.push(await (n < 15 ? backend : other).record(each));
          for (const asked of filters)
            for (const one of [backend, other])
              expect((await all(one.log(asked))).map(({ hash }) => hash)).toEqual(
                naive(entries, asked).map(({ hash }) => hash),
              );
          await backend.close();
          await other.close();
        },
      ),
      { numRuns: HEAVY ? 300 : 4 },
    );
  });
});

function naive(entries: readonly Entry[], asked: LogFilter): Entry[] {
  const fits = (entry: Entry): boolean =>
    entry.seq >= (asked.sinceSeq ?? 1) &&
    entry.seq <= (asked.untilSeq ?? Number.POSITIVE_INFINITY) &&
    [asked.session ?? entry.session].includes(entry.session) &&
    [asked.agent ?? entry.agent].includes(entry.agent) &&
    [asked.tool ?? entry.tool].includes(entry.tool) &&
    (asked.outcomes ?? OUTCOMES).includes(entry.outcome) &&
    (asked.path === undefined || entry.changes.some((each) => [each.path, each.movedFrom].includes(asked.path)));
  const found = entries.filter(fits);
  return (asked.newestFirst ? found.reverse() : found).slice(0, asked.limit);
}

it("one flipped bit anywhere in the log on disk is found, never read as an entry, and never given as a version", async () => {
  const home = tempDir();
  const at = { root: directoryWith({}), home };
  const workspace = opened(at);
  const session = workspace.session();
  const texts = Array.from({ length: 12 }, (_, n) => `version ${n}\n`);
  await session.create("a", texts[0]!);
  for (const text of texts.slice(1)) await session.write("a", text);
  const entries = new Set((await all(workspace.log())).map((entry) => JSON.stringify(entry)));
  await workspace.close();
  const segment = segmentOf(home);
  const content = readFileSync(segment);
  const chained = chainedBytesIn(segment);
  await fc.assert(
    fc.asyncProperty(fc.nat({ max: content.length - 1 }), fc.nat({ max: 7 }), async (position, bit) => {
      const altered = Buffer.from(content);
      altered[position]! ^= 1 << bit;
      writeFileSync(segment, altered);
      const damaged = opened(at);
      try {
        const verified = await unlessDamaged(damaged.verify());
        if (chained(position)) expect(verified).not.toMatchObject({ ok: true });
        for (const entry of (await unlessDamaged(all(damaged.log()))) ?? [])
          expect(entries).toContain(JSON.stringify(entry));
        for (const text of texts) {
          const { sha } = versionOf([Buffer.from(text)]);
          const found = await damaged.backend.recall(sha).catch(() => null);
          if (found !== null) expect(Buffer.from(bytesOf(found)).toString()).toBe(text);
        }
      } finally {
        await damaged.close();
        writeFileSync(segment, content);
      }
    }),
    { numRuns: HEAVY ? 2000 : 60 },
  );
});

async function unlessDamaged<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof Refusal && error.kind === "journal_damaged") return undefined;
    throw error;
  }
}
