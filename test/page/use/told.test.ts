// What the page is told over HTTP after things have happened: taken back, in part, unreadable, beyond all years.
import { chmodSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { segmentOf } from "../../support/history.ts";
import { directoryWith, memoryWorkspace, workspaceIn } from "../../support/workspace.ts";
import { enter, events, openPage } from "../support.ts";

const waived = { proof: { by: "waived" } } as const;
const LINES = Array.from({ length: 30 }, (_, n) => `line ${n + 1}\n`);
const text = (changes: Readonly<Record<number, string>> = {}) =>
  LINES.map((line, n) => changes[n + 1] ?? line).join("");

it("what was taken back is told as such when the page is loaded anew, and so is what counts again", async () => {
  const workspace = memoryWorkspace({ "a.txt": text(), "b.txt": "b\n" });
  const agent = workspace.session({ agent: "codex" });
  await agent.write("a.txt", text({ 2: "two\n", 20: "twenty\n" }), waived);
  await agent.write("b.txt", "B\n", waived);
  await agent.delete("b.txt", waived);
  const inside = await enter(await openPage(workspace));
  const lines = async () => (await inside.json("timeline")).entries.reverse();
  await inside.tell("restore", { w: "work", id: "3" });
  await inside.tell("undo", { w: "work", entry: 2 });
  await inside.tell("undo", { w: "work", entry: 1, path: "a.txt", hunk: 2 });
  expect(await lines()).toMatchObject([
    { seq: 1, partsBack: 1 },
    { seq: 2, takenBackBy: 5 },
    { seq: 3, takenBackBy: 4 },
    { seq: 4, of: [3], restored: true },
    { seq: 5, of: [2] },
    { seq: 6, of: [1], part: true },
  ]);
  await inside.tell("undo", { w: "work", entry: 5 });
  await inside.tell("undo", { w: "work", entry: 6 });
  const [first, second, , , fifth] = await lines();
  expect([first.partsBack, second.takenBackBy, fifth.takenBackBy]).toEqual([undefined, undefined, 7]);
});

it("a workspace that cannot be read hides no other, and says why", async () => {
  const [one, two, three] = ["one", "two", "three"].map((content) => directoryWith({ "a.txt": `${content}\n` }));
  const open = (root: string) => workspaceIn(root);
  const served = { one: open(one!), two: open(two!), three: open(three!) };
  for (const each of Object.values(served)) await each.session({ agent: "codex" }).write("a.txt", "changed\n", waived);
  const inside = await enter(await openPage(served));
  expect((await inside.json("timeline")).entries).toHaveLength(3);
  rmSync(two!, { recursive: true });
  writeFileSync(segmentOf(three!), "not a journal\n");
  const { entries, troubles, before } = await inside.json("timeline");
  expect(entries).toMatchObject([{ w: "one" }]);
  expect(before).toBeUndefined();
  expect(troubles.map(({ w }: { w: string }) => w).sort()).toEqual(["three", "two"]);
  for (const { message } of troubles) expect(message).not.toContain("defect");
  expect((await inside.get("/page/api/timeline?since=garbage")).status).toBe(400);
  expect((await inside.get("/page/api/events?since=garbage")).status).toBe(400);
  const told = await events(inside, "/page/api/events", 4, () =>
    served.one.session({ agent: "codex" }).write("a.txt", "again\n", waived),
  );
  expect(told.map(({ event, data }) => `${event} ${data.w ?? data.line?.w ?? ""}`.trim()).sort()).toEqual([
    "entry one",
    "ready",
    "trouble three",
    "trouble two",
  ]);
});

it("a workspace that can be read again is followed again, and the page told to look at it", async () => {
  const root = directoryWith({ "a.txt": "one\n" });
  const workspace = workspaceIn(root);
  const write = (content: string) => workspace.session({ agent: "codex" }).write("a.txt", content, waived);
  await write("two\n");
  const inside = await enter(await openPage(workspace));
  renameSync(root, `${root}-away`);
  const told = await events(inside, "/page/api/events", 4, [
    () => undefined,
    () => renameSync(`${root}-away`, root),
    () => write("three\n"),
  ]);
  expect(told.map(({ event }) => event)).toEqual(["ready", "trouble", "missed", "entry"]);
  expect(told[3]!.data.line).toMatchObject({ seq: 2, agent: "codex" });
});

it("an entry tells which of its parts were taken back, and no longer once that is undone", async () => {
  const workspace = memoryWorkspace({ "a.txt": text(), "b.txt": "b\n" });
  const targets = ["a.txt", "b.txt"].map((path) => ({ path, action: "edit", ...waived }) as const);
  await workspace
    .session({ agent: "codex" })
    .change(targets, () => [{ body: text({ 2: "two\n", 20: "twenty\n" }) }, { body: "B\n" }]);
  const inside = await enter(await openPage(workspace));
  const back = async () => (await inside.json("entry", { w: "work", seq: 1 })).back;
  expect(await back()).toEqual([]);
  await inside.tell("undo", { w: "work", entry: 1, path: "a.txt", hunk: 2 });
  await inside.tell("undo", { w: "work", entry: 1, path: "b.txt" });
  expect(await back()).toEqual([{ path: "a.txt", hunk: 2 }, { path: "b.txt" }]);
  const net = await inside.json("net", { w: "work", agent: "codex" });
  expect(net.files.map(({ path, diff }: { path: string; diff: object }) => [path, diff])).toMatchObject([
    ["a.txt", { insertions: 1, deletions: 1 }],
  ]);
  await inside.tell("undo", { w: "work", entry: 2 });
  expect(await back()).toEqual([{ path: "b.txt" }]);
});

it("a sum is of all that was asked: an agent up to a time; and just that is taken back", async () => {
  const workspace = memoryWorkspace({ "a.txt": "a\n", "b.txt": "b\n", "c.txt": "c\n" });
  const [codex, claude] = ["codex", "claude"].map((agent) => workspace.session({ agent }));
  await codex!.write("a.txt", "codex\n", waived);
  await claude!.write("b.txt", "claude\n", waived);
  await new Promise((resolve) => setTimeout(resolve, 5));
  const until = new Date().toISOString();
  await new Promise((resolve) => setTimeout(resolve, 5));
  await codex!.write("c.txt", "codex\n", waived);
  const inside = await enter(await openPage(workspace));
  const what = { w: "work", agent: "codex", since: "2000-01-01", until };
  const net = await inside.json("net", what);
  expect(net.files.map(({ path }: { path: string }) => path)).toEqual(["a.txt"]);
  const { preview, undone, count } = await inside.tell("preview", what);
  expect([undone, count]).toEqual([[1], 1]);
  expect(await inside.tell("undo", { ...what, preview, undone })).toMatchObject({ entry: 4, files: 1 });
});

it("a time beyond the year 9999 is no time, and never means everything", async () => {
  const workspace = memoryWorkspace({ "a.txt": "a\n" });
  await workspace.session({ agent: "codex" }).write("a.txt", "b\n", waived);
  const inside = await enter(await openPage(workspace));
  for (const since of ["+275760-09-12T00:00:00Z", "+010000-01-01T00:00:00Z", "-000001-01-01T00:00:00Z"]) {
    for (const look of ["timeline?", "net?w=work&", "events?"])
      expect((await inside.get(`/page/api/${look}since=${encodeURIComponent(since)}`)).status).toBe(400);
    expect(await inside.tell("preview", { w: "work", since })).toMatchObject({ kind: "invalid_input" });
    await expect(workspace.session({ owner: true }).undo({ since })).rejects.toMatchObject({ kind: "invalid_input" });
  }
});

it("a preview is another once a mode is another", async () => {
  const root = directoryWith({ "run.sh": "echo\n" });
  chmodSync(join(root, "run.sh"), 0o755);
  const workspace = workspaceIn(root);
  await workspace.session({ agent: "codex" }).write("run.sh", "echo 2\n", waived);
  const inside = await enter(await openPage(workspace));
  const { preview } = await inside.tell("preview", { w: "work", entry: 1 });
  chmodSync(join(root, "run.sh"), 0o644);
  const stale = await inside.tell("undo", { w: "work", entry: 1, preview });
  expect(stale).toMatchObject({ kind: "stale_file", message: expect.stringContaining("since the preview") });
  const again = await inside.tell("preview", { w: "work", entry: 1 });
  expect(await inside.tell("undo", { w: "work", entry: 1, preview: again.preview })).toMatchObject({ entry: 2 });
});

it("a refusal speaks to a person: the file and the line of a conflict, no words for programs", async () => {
  const workspace = memoryWorkspace({ "a.txt": text() });
  const agent = workspace.session({ agent: "codex" });
  await agent.write("a.txt", text({ 12: "twelve\n" }), waived);
  await agent.write("a.txt", text({ 12: "zwölf\n" }), waived);
  const inside = await enter(await openPage(workspace));
  const later = await inside.tell("preview", { w: "work", entry: 1 });
  expect(later.next).toContain("Undo these first");
  expect(later.next).not.toContain("onLaterChanges");
  const conflict = await inside.tell("preview", { w: "work", entry: 1, merge: true });
  expect(conflict).toMatchObject({ path: "a.txt", conflicts: [{ line: 12 }] });
  await inside.tell("undo", { w: "work", entry: 2 });
  await inside.tell("undo", { w: "work", entry: 1 });
  expect(await inside.tell("preview", { w: "work", entry: 1 })).toMatchObject({ isTakenBack: true });
});

it("the weight of a history is not looked up for every page that asks", async () => {
  const workspace = memoryWorkspace({});
  let weighed = 0;
  const backend = {
    ...workspace.backend,
    weigh: async () => {
      weighed++;
      return { bytes: 1, versions: 1 };
    },
  };
  const inside = await enter(await openPage(Object.assign(Object.create(workspace), { backend })));
  for (let n = 0; n < 3; n++) expect((await inside.json("state")).workspaces).toMatchObject([{ bytes: 1 }]);
  expect(weighed).toBe(1);
});
