// The log as a user would notice it: damage is found, a torn end is moved aside and noted, others' entries are followed, indexes can go.
import { hash } from "node:crypto";
import {
  appendFileSync,
  cpSync,
  existsSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { collectGarbage, type Entry, purge, type Sha, Workspace } from "stet";
import { disk } from "stet/backends/disk";
import { afterEach, describe, expect, it } from "vitest";
import { walkRecords } from "../../../src/backends/disk/log/record.ts";
import { windowOn } from "../../../src/backends/disk/log/segment.ts";
import { all, refuses, version } from "../../support/assertions.ts";
import { historyIn, segmentsIn } from "../../support/history-place.ts";
import { tempDir } from "../../support/temp.ts";
import { directoryWith } from "../../support/workspace.ts";

const opened: Workspace[] = [];
afterEach(async () => {
  for (const workspace of opened.splice(0)) await workspace.close().catch(() => undefined);
});

interface Place {
  readonly root: string;
  readonly home: string;
  open(segmentBytes?: number): Workspace;
}

function place(): Place {
  const [root, home] = [directoryWith({}), tempDir()];
  return {
    root,
    home,
    open(segmentBytes) {
      const how = { root, stateDir: home, durability: "fast" as const };
      const workspace = new Workspace(disk({ ...how, ...(segmentBytes !== undefined && { segmentBytes }) }));
      opened.push(workspace);
      return workspace;
    },
  };
}

const text = (n: number): string => `version ${n} of a file\n`;

/** `file` written so many times, and closed. */
async function filled(at: Place, count: number, segmentBytes?: number): Promise<readonly Entry[]> {
  const workspace = at.open(segmentBytes);
  const session = workspace.session();
  await session.create("file", text(1));
  for (let n = 2; n <= count; n++) await session.write("file", text(n));
  const entries = await all(workspace.log({ newestFirst: false }));
  await workspace.close();
  return entries;
}

const segments = ({ home }: Place): string[] => segmentsIn(historyIn(home));
/** Those that bring an entry. */
const recordsIn = (path: string) => {
  const fd = openSync(path, "r");
  return [...walkRecords(windowOn(fd), { from: 0, to: statSync(path).size })].flatMap(({ line, ...record }) =>
    line === null ? [] : { ...record, lineOffset: line.start, lineBytes: line.bytes },
  );
};
const hashes = (entries: readonly Entry[]): Sha[] => entries.map((entry) => entry.hash);

it("a segment takes what fits into it to the last byte, and one entry that does not", async () => {
  const whole = place();
  await filled(whole, 4);
  const [, , third] = recordsIn(segments(whole)[0]!);
  for (const [segmentBytes, expected] of [
    [third!.offset, [2, 1, 1]],
    [third!.offset - 1, [1, 1, 1, 1]],
    [1, [1, 1, 1, 1]],
  ] as const) {
    const at = place();
    await filled(at, 4, segmentBytes);
    expect(segments(at).map((path) => recordsIn(path).length)).toEqual(expected);
  }
});

describe("a torn end", () => {
  it("is moved aside and noted, wherever it was cut, and nothing before it is lost", async () => {
    const whole = place();
    await filled(whole, 4);
    const bytes = readFileSync(segments(whole)[0]!);
    const last = recordsIn(segments(whole)[0]!).at(-1)!;
    for (const cut of [1, 20, last.lineBytes >> 1, last.lineBytes + 30]) {
      const at = place();
      const before = await filled(at, 3);
      const [segment] = segments(at);
      appendFileSync(segment!, bytes.subarray(last.offset, last.offset + cut));
      const workspace = at.open();
      await workspace.session().create(`after-${cut}`, "x");
      const entries = await all(workspace.log({ newestFirst: false }));
      expect(hashes(entries.slice(0, 3))).toEqual(hashes(before));
      expect(entries[3]).toMatchObject({ outcome: "note", details: { bytes: cut } });
      const aside = join(historyIn(at.home), "log", String(entries[3]!.details?.file));
      expect(readFileSync(aside)).toEqual(bytes.subarray(last.offset, last.offset + cut));
      expect((await workspace.verify()).problems).toEqual([]);
    }
  });

  it("of zeros is moved aside too", async () => {
    const at = place();
    await filled(at, 2);
    appendFileSync(segments(at)[0]!, Buffer.alloc(5000));
    const workspace = at.open();
    await workspace.session().create("after", "x");
    expect((await all(workspace.log({ outcomes: ["note"] })))[0]?.details).toMatchObject({ bytes: 5000 });
    expect((await workspace.verify()).problems).toEqual([]);
  });

  it("is no damage: verification leaves it to the next change", async () => {
    const at = place();
    await filled(at, 2);
    appendFileSync(segments(at)[0]!, "torn");
    expect(await at.open().verify()).toMatchObject({ ok: true, entries: 2 });
  });

  it("is repaired by a process that was there before", async () => {
    const at = place();
    const [mine, other] = [at.open(), at.open()];
    await mine.session().create("a", "a\n");
    await other.session().create("b", "b\n");
    appendFileSync(segments(at)[0]!, "torn by a third one");
    await mine.session().create("c", "c\n");
    await other.session().create("d", "d\n");
    const outcomes = (await all(mine.log({ newestFirst: false }))).map(({ outcome }) => outcome);
    expect(outcomes).toEqual(["applied", "applied", "note", "applied", "applied"]);
    expect((await other.verify()).problems).toEqual([]);
  });
});

describe("damage", () => {
  it("of any byte of any line is found by verification", async () => {
    const at = place();
    await filled(at, 3);
    const [segment] = segments(at);
    const bytes = readFileSync(segment!);
    for (const record of recordsIn(segment!))
      for (const offset of [0, 10, record.lineBytes >> 1, record.lineBytes - 2]) {
        const changed = Buffer.from(bytes);
        changed[record.lineOffset + offset]! ^= 1;
        writeFileSync(segment!, changed);
        const { ok } = await at
          .open()
          .verify()
          .catch(() => ({ ok: false }));
        expect(ok, `${record.offset} ${offset}`).toBe(false);
      }
  });

  /** Six versions of a file; then `harm` is done to the record with this number. */
  async function harmed(n: number, harm: (bytes: Buffer, record: ReturnType<typeof recordsIn>[number]) => void) {
    const at = place();
    await filled(at, 6);
    const [segment] = segments(at);
    const bytes = readFileSync(segment!);
    harm(bytes, recordsIn(segment!)[n - 1]!);
    writeFileSync(segment!, bytes);
    return at;
  }

  it.each([
    ["in its line", ({ lineOffset }: { lineOffset: number }) => lineOffset + 60],
    ["in its number", ({ lineOffset }: { lineOffset: number }) => lineOffset + 7],
    ["in its header", ({ offset }: { offset: number }) => offset],
    ["in the length of its line", ({ offset }: { offset: number }) => offset + 4],
    ["in the length of its versions", ({ offset }: { offset: number }) => offset + 8],
  ])("of one entry, %s, is named, and what lies behind it is read, brought back and added to", async (_what, where) => {
    for (const n of [1, 3, 6]) {
      const at = await harmed(n, (bytes, record) => {
        bytes[where(record)]! ^= 1;
      });
      const workspace = at.open();
      const { ok, problems } = await workspace.verify();
      expect(ok, `${n}`).toBe(false);
      expect(problems.map(({ seq }) => seq)).toContain(n);
      const whole = (await all(workspace.log({ newestFirst: false }))).map(({ seq }) => seq);
      expect(whole).toEqual([1, 2, 3, 4, 5, 6].filter((seq) => seq !== n));
      for (let v = n + 1; v <= 6; v++) expect(await workspace.backend.recall(version(text(v)).sha)).not.toBeNull();
      const session = workspace.session();
      await session.read("file");
      await session.write("file", "behind the damage\n");
      await session.create("other", "other\n");
      await session.undo({ entry: (await all(workspace.log({ newestFirst: true, limit: 1 })))[0]!.seq });
      expect(existsSync(join(at.root, "other"))).toBe(false);
      await workspace.close();
      const again = at.open();
      const [newest] = await all(again.log({ path: "file" as never, newestFirst: true, limit: 1 }));
      expect(newest!.changes[0]!.to).toBe(version("behind the damage\n").sha);
      expect((await again.verify()).problems.length).toBe(problems.length);
      await again.close();
    }
  });

  it.each<[string, (segments: string[]) => void, string]>([
    ["a piece behind its last entry", ([, second]) => appendFileSync(second!, "torn"), "Torn: 4 bytes"],
    ["taken away", ([, second]) => rmSync(second!), "missing"],
    ["a copy in the place of another", ([first, second]) => cpSync(first!, second!), "Entry 1 "],
  ])("of a segment that is not the last is told: %s", async (_what, harm, words) => {
    const at = place();
    await filled(at, 12, 1500);
    expect(segments(at).length).toBeGreaterThan(3);
    harm(segments(at));
    const { ok, problems } = await at.open(1500).verify();
    expect([ok, problems.map(({ problem }) => problem).join(" ")]).toEqual([false, expect.stringContaining(words)]);
  });

  it("of a kept version is found when it is asked for, and others are given", async () => {
    const at = place();
    await filled(at, 3);
    const [segment] = segments(at);
    const bytes = readFileSync(segment!);
    bytes[bytes.indexOf(text(2))]! ^= 1;
    writeFileSync(segment!, bytes);
    const { backend } = at.open();
    await refuses("not_kept", () => backend.recall(version(text(2)).sha));
    expect(await backend.recall(version(text(1)).sha)).not.toBeNull();
    expect(await backend.recall(version(text(3)).sha)).not.toBeNull();
  });

  it("a log that was cut short, or taken away, is told; nothing is appended to what is left", async () => {
    for (const harm of [(path: string) => truncateSync(path, 0), (path: string) => rmSync(path)]) {
      const at = place();
      const workspace = at.open();
      const session = workspace.session();
      await session.create("a", "a\n");
      await session.create("b", "b\n");
      harm(segments(at)[0]!);
      // However often it is asked: what found it first may have told nobody.
      await refuses("journal_damaged", () => all(workspace.log()));
      await refuses("journal_damaged", () => session.create("c", "c\n"));
      await refuses("journal_damaged", () => session.create("c", "c\n"));
      expect(existsSync(join(at.root, "c"))).toBe(false);
    }
  });

  it("of a segment keeps gc from dropping anything of it", async () => {
    const at = place();
    await filled(at, 6);
    const [segment] = segments(at);
    const [, second] = recordsIn(segment!);
    const bytes = readFileSync(segment!);
    bytes[second!.offset]! ^= 1;
    writeFileSync(segment!, bytes);
    const workspace = at.open();
    await collectGarbage(workspace, { maxVersionsPerPath: 1 }).catch(() => undefined);
    await workspace.close();
    const left = Buffer.concat([
      ...segments(at).map((path) => readFileSync(path)),
      ...readdirSync(join(historyIn(at.home), "log"))
        .filter((name) => name.startsWith("torn-"))
        .map((name) => readFileSync(join(historyIn(at.home), "log", name))),
    ]);
    for (let n = 1; n <= 6; n++) expect(left.includes(text(n)), text(n)).toBe(true);
  });
});

describe("following others", () => {
  it("sees what they appended, across segments, and what gc wrote anew", async () => {
    const at = place();
    const [one, two] = [at.open(700), at.open(700)];
    const [mine, theirs] = [one.session(), two.session()];
    await mine.create("file", text(1));
    for (let n = 2; n <= 12; n++) {
      const session = n % 2 === 0 ? theirs : mine;
      await session.read("file");
      await session.write("file", text(n));
    }
    expect(segments(at).length).toBeGreaterThan(2);
    const before = hashes(await all(one.log()));
    await collectGarbage(two, { maxVersionsPerPath: 2 });
    expect(hashes(await all(one.log())).slice(0, 12)).toEqual(before);
    expect(await one.backend.recall(version(text(3)).sha)).toBeNull();
    expect(await one.backend.recall(version(text(12)).sha)).not.toBeNull();
    await mine.read("file");
    await mine.write("file", text(13));
    await theirs.read("file");
    expect((await all(two.log())).length).toBe((await all(one.log())).length);
    for (const workspace of [one, two]) expect((await workspace.verify()).problems).toEqual([]);
  });
});

describe("an index or a snapshot", () => {
  const HARMS: readonly (readonly [string, (path: string) => void])[] = [
    ["missing", (path) => rmSync(path)],
    ["empty", (path) => truncateSync(path)],
    ["cut", (path) => truncateSync(path, statSync(path).size >> 1)],
    ["of zeros", (path) => writeFileSync(path, Buffer.alloc(statSync(path).size))],
    [
      "changed",
      (path) => {
        const bytes = readFileSync(path);
        bytes[bytes.length >> 1]! ^= 1;
        writeFileSync(path, bytes);
      },
    ],
  ];

  it.each(HARMS)("that is %s changes no answer, and is made again", async (_what, harm) => {
    const at = place();
    const before = await filled(at, 20, 1500);
    const log = join(historyIn(at.home), "log");
    const derived = () => readdirSync(log).filter((name) => /\.(index|heads)$/.test(name));
    expect(derived().length).toBeGreaterThan(3);
    for (const name of derived()) harm(join(log, name));
    const workspace = at.open(1500);
    expect(hashes(await all(workspace.log({ newestFirst: false })))).toEqual(hashes(before));
    expect(await all(workspace.log({ path: "file" as never }))).toHaveLength(20);
    for (let n = 1; n <= 20; n++) expect(await workspace.backend.recall(version(text(n)).sha)).not.toBeNull();
    expect((await workspace.backend.head("file" as never))?.sha).toBe(version(text(20)).sha);
    const session = workspace.session();
    await session.read("file");
    await session.write("file", text(21));
    expect((await workspace.verify()).problems).toEqual([]);
    expect(derived().some((name) => name.endsWith(".index"))).toBe(true);
  });
});

describe("dropping versions", () => {
  it.each([undefined, 1500])("gc and purge remove the bytes and keep the chain (segments of %s)", async (size) => {
    const at = place();
    const before = await filled(at, 12, size);
    const workspace = at.open(size);
    const session = workspace.session();
    await collectGarbage(workspace, { maxVersionsPerPath: 3 });
    await session.read("file");
    await session.delete("file");
    await purge(session, "file");
    await workspace.close();
    const bytes = Buffer.concat(segments(at).map((path) => readFileSync(path)));
    // Of old versions two stay; of the one that was purged nothing does.
    for (let n = 1; n <= 12; n++) expect(bytes.includes(text(n)), text(n)).toBe(n === 10 || n === 11);
    const again = at.open(size);
    expect(hashes(await all(again.log({ newestFirst: false }))).slice(0, 12)).toEqual(hashes(before));
    expect((await again.verify()).problems).toEqual([]);
  });
});

it("the hash of an entry is of the text of its line", async () => {
  const at = place();
  const [entry] = await filled(at, 1);
  const [record] = recordsIn(segments(at)[0]!);
  const line = readFileSync(segments(at)[0]!).toString(
    "utf8",
    record!.lineOffset,
    record!.lineOffset + record!.lineBytes,
  );
  expect(hash("sha256", line.slice(0, line.indexOf(',"hash":')))).toBe(entry!.hash);
});
