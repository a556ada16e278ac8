// What a session saw outlives its process: `remember` keeps it in the log of the history.
import { appendFileSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { openWorkspace, type Seen } from "stet";
import { expect, it } from "vitest";
import { all, path, refuses, version } from "../support/assertions.ts";
import { segmentOf } from "../support/history.ts";
import { directoryWith } from "../support/workspace.ts";

const SEEN: Seen = { sha: version("1\n").sha, lines: 1, shown: [{ from: 1, to: 1 }] };

const open = (root: string, segmentBytes?: number) =>
  openWorkspace({ root, durability: "fast", remember: true, ...(segmentBytes !== undefined && { segmentBytes }) });

/** As a process does that ends after its call. */
async function once<T>(root: string, work: (session: ReturnType<ReturnType<typeof open>["session"]>) => Promise<T>) {
  const workspace = open(root);
  try {
    return await work(workspace.session({ id: "one" }));
  } finally {
    await workspace.close();
  }
}

it("what a session read, it may edit in another process", async () => {
  const root = directoryWith({ a: "1\n", b: "1\n" });
  await once(root, (session) => session.read("a"));
  await once(root, (session) => session.write("a", "2\n"));
  await once(root, (session) => session.write("a", "3\n"));
  await once(root, (session) => refuses("unread_file", () => session.write("b", "2\n")));
  const other = open(root);
  await refuses("unread_file", () => other.session({ id: "other" }).write("a", "4\n"));
  await other.close();
  expect(readFileSync(join(root, "a"), "utf8")).toBe("3\n");
});

it("is stale where another session changed it meanwhile, with what changed", async () => {
  const root = directoryWith({ a: "1\n" });
  await once(root, (session) => session.read("a"));
  const other = openWorkspace({ root, durability: "fast" });
  const theirs = other.session({ id: "other", agent: "bob" });
  await theirs.read("a");
  await theirs.write("a", "theirs\n");
  await other.close();
  const refusal = await once(root, (session) => refuses("stale_file", () => session.write("a", "2\n")));
  expect(JSON.stringify(refusal.failure)).toContain("+theirs");
  expect(JSON.stringify(refusal.failure)).toContain("bob");
});

it("two processes of one session follow each other, and what is deleted or over is unread", async () => {
  const root = directoryWith({});
  const [one, two] = [open(root).backend.ledger!("s"), open(root).backend.ledger!("s")];
  expect(await two.get(path("a"))).toBeUndefined();
  await one.set(path("a"), SEEN);
  await one.set(path("b"), SEEN);
  expect([await two.get(path("a")), await two.get(path("b"))]).toEqual([SEEN, SEEN]);
  await two.delete(path("a"));
  expect([await one.get(path("a")), await one.get(path("b"))]).toEqual([undefined, SEEN]);
  await two.clear!();
  expect([await one.get(path("b")), await open(root).backend.ledger!("s").get(path("b"))]).toEqual([
    undefined,
    undefined,
  ]);
});

it("without the option nothing is remembered, and a wrong one is refused", async () => {
  const root = directoryWith({ a: "1\n" });
  await once(root, (session) => session.read("a"));
  const plain = openWorkspace({ root, durability: "fast" });
  await refuses("unread_file", () => plain.session({ id: "one" }).write("a", "2\n"));
  expect(() => openWorkspace({ root, remember: "yes" } as never)).toThrow('remember must be true or false, not "yes".');
});

it("counts from the open segment and the one before it only", async () => {
  const root = directoryWith({});
  const writer = open(root, 4096);
  const session = writer.session({ id: "writer" });
  const ledger = writer.backend.ledger!("s");
  await ledger.set(path("a"), SEEN);
  const found = async () => (await open(root).backend.ledger!("s").get(path("a"))) !== undefined;
  await session.create("f", "x".repeat(3000));
  expect(await found()).toBe(true);
  await session.write("f", "y".repeat(3000));
  expect(await found()).toBe(true);
  for (const text of ["z", "w", "v"]) await session.write("f", text.repeat(3000));
  expect(await found()).toBe(false);
  expect(await ledger.get(path("a"))).toEqual(SEEN);
});

it("takes no room in older segments: a session that only reads does not fill the disk", async () => {
  const root = directoryWith({});
  const writer = open(root, 4096);
  const session = writer.session({ id: "writer" });
  await session.create("f", "0");
  for (let n = 0; n < 12; n++) {
    await writer.backend.ledger!("s").set(path(`seen-${n}`), SEEN);
    await session.write("f", `${n}`.repeat(3000));
  }
  const log = dirname(segmentOf(root));
  const segments = readdirSync(log)
    .filter((name) => name.endsWith(".log"))
    .sort();
  expect(segments.length).toBeGreaterThan(5);
  const holding = segments.filter((name) => readFileSync(join(log, name)).includes('"path":"seen-'));
  expect(holding.filter((name) => !segments.slice(-2).includes(name))).toEqual([]);
  expect(await writer.backend.verify()).toMatchObject({ ok: true });
  expect(await writer.backend.recall(version("0".repeat(3000)).sha)).not.toBeNull();
});

it("is no version, no entry and no damage to whoever reads the log otherwise", async () => {
  const root = directoryWith({ a: "1\n" });
  const { backend } = open(root, 4096);
  const ledger = backend.ledger!("s");
  for (let n = 0; n < 30; n++) await ledger.set(path(`f${n}`), SEEN);
  await backend.keep([version("kept"), version("dropped")]);
  for (let n = 0; n < 30; n++) await backend.record({ session: "s", tool: "t", outcome: "note", changes: [] });
  for (let n = 30; n < 60; n++) await ledger.set(path(`f${n}`), SEEN);
  const kept = async () => (await all(backend.kept())).map(({ sha }) => sha).sort();
  expect(await kept()).toEqual([version("kept").sha, version("dropped").sha].sort());
  expect(await all(backend.log())).toHaveLength(30);
  expect(await backend.verify()).toMatchObject({ ok: true, entries: 30 });
  // rewrites the segment: what was seen may go with it, the rest stays
  await backend.forget([version("dropped").sha]);
  expect(await kept()).toEqual([version("kept").sha]);
  expect(await backend.verify()).toMatchObject({ ok: true, entries: 30 });
});

it("a record of another form, damaged or torn, counts as never seen, and the journal stays whole", async () => {
  const root = directoryWith({});
  const others = [{}, { ...SEEN, sha: "1" }, { ...SEEN, lines: "1" }, { ...SEEN, shown: 9 }, "x"];
  for (const seen of others) await open(root).backend.ledger!("s").set(path("a"), seen as Seen);
  expect(await open(root).backend.ledger!("s").get(path("a"))).toBeUndefined();
  await open(root).backend.ledger!("s").set(path("a"), SEEN);
  const segment = segmentOf(root);
  const bytes = readFileSync(segment);
  const at = bytes.lastIndexOf(SEEN.sha);
  bytes.write("f".repeat(64), at);
  writeFileSync(segment, bytes);
  expect(await open(root).backend.ledger!("s").get(path("a"))).toBeUndefined();
  appendFileSync(segment, bytes.subarray(bytes.length - 200, bytes.length - 20));
  const { backend } = open(root);
  await backend.ledger!("s").set(path("b"), SEEN);
  expect(await open(root).backend.ledger!("s").get(path("b"))).toEqual(SEEN);
  expect(await backend.verify()).toMatchObject({ ok: true });
});

it("what is seen again as before is not written again, and what is too long only remembered here", async () => {
  const root = directoryWith({});
  const { backend } = open(root);
  const ledger = backend.ledger!("s");
  await ledger.set(path("a"), SEEN);
  const size = readFileSync(segmentOf(root)).length;
  for (let n = 0; n < 10; n++) await ledger.set(path("a"), { ...SEEN });
  expect(readFileSync(segmentOf(root)).length).toBe(size);
  const shown = Array.from({ length: 5000 }, (_, n) => ({ from: 2 * n + 1, to: 2 * n + 1 }));
  await ledger.set(path("a"), { ...SEEN, lines: 10_000, shown });
  expect(readFileSync(segmentOf(root)).length).toBe(size);
  expect((await ledger.get(path("a")))?.shown).toHaveLength(5000);
  expect(await open(root).backend.ledger!("s").get(path("a"))).toEqual(SEEN);
});
