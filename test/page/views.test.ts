// What the page is told, and what it does, over HTTP: timeline, entries, files, net changes, undo, trash, marks, streams.
import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { purge, Workspace } from "stet";
import { expect, it } from "vitest";
import { directoryWith, memoryWorkspace, workspaceIn } from "../support/workspace.ts";
import { enter, events, openPage } from "./support.ts";

const waived = { proof: { by: "waived" } } as const;
const LINES = Array.from({ length: 30 }, (_, n) => `line ${n + 1}\n`);
const text = (changes: Readonly<Record<number, string>> = {}) =>
  LINES.map((line, n) => changes[n + 1] ?? line).join("");
/** One red point. */
const PNG = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGP4z8DwHwAFAAH/iZk9HQAAAABJRU5ErkJggg==",
  "base64",
);

async function contentOf({ backend }: Workspace, path: string): Promise<string | undefined> {
  const version = await backend.read((await backend.resolve(path)).path);
  return version === null ? undefined : Buffer.concat(version.parts as Uint8Array[]).toString();
}

it("the timeline of several workspaces is one, newest first, in pages that leave nothing out", async () => {
  const [one, two] = [memoryWorkspace({}), memoryWorkspace({})];
  for (let n = 0; n < 7; n++)
    await (n % 3 === 0 ? two : one).session({ agent: `agent-${n % 2}`, id: "s" }).create(`file-${n}`, "x");
  const inside = await enter(await openPage({ one, two }));
  const all = (await inside.json("timeline")).entries;
  expect(all.map(({ paths }: { paths: string[] }) => paths[0])).toHaveLength(7);
  const seen: string[] = [];
  let before: string | undefined;
  for (let page = 0; page < 9; page++) {
    const answer = await inside.json("timeline", { limit: 2, ...(before !== undefined && { before }) });
    seen.push(...answer.entries.map(({ w, seq }: { w: string; seq: number }) => `${w} ${seq}`));
    before = answer.before;
    if (before === undefined) break;
  }
  expect(seen).toEqual(all.map(({ w, seq }: { w: string; seq: number }) => `${w} ${seq}`));
  const only = await inside.json("timeline", { w: "two", agent: "agent-1", text: "FILE-3" });
  expect(only.entries).toMatchObject([{ w: "two", agent: "agent-1", paths: ["file-3"], outcome: "applied" }]);
  expect((await inside.json("timeline", { outcome: "refused" })).entries).toEqual([]);
  expect((await inside.json("timeline", { path: "file" })).entries).toEqual([]);
  expect((await inside.get("/page/api/timeline?w=three")).status).toBe(404);
  expect((await inside.get("/page/api/timeline?since=then")).status).toBe(400);
  expect((await inside.get("/page/api/timeline?before=x")).status).toBe(400);
});

it("an entry has its diff, proof, hash and links; a refusal says why", async () => {
  const workspace = memoryWorkspace({ "a.txt": text() });
  const agent = workspace.session({ agent: "codex" });
  await agent.write("a.txt", text({ 3: "three\n" }), { ...waived, tool: "write_file" });
  await expect(agent.write("a.txt", "x", { expectedSha256: "0".repeat(64) })).rejects.toThrow();
  const inside = await enter(await openPage(workspace));
  await inside.tell("undo", { w: "work", entry: 1 });
  const entry = await inside.json("entry", { w: "work", seq: 1 });
  expect(entry).toMatchObject({
    line: { agent: "codex", tool: "write_file", takenBackBy: 3 },
    proofs: ["waived"],
    about: [{ seq: 3, how: "undone", agent: "ada" }],
    files: [{ letter: "M", path: "a.txt", diff: { insertions: 1, deletions: 1, truncated: false } }],
  });
  expect(entry.hash).toMatch(/^[0-9a-f]{64}$/);
  expect(entry.files[0].diff.text).toContain("-line 3\n+three\n");
  const refused = await inside.json("entry", { w: "work", seq: 2 });
  expect(refused.line).toMatchObject({
    outcome: "refused",
    error: "stale_file",
    paths: ["a.txt"],
  });
  expect(refused.line.takenBackBy).toBeUndefined();
  expect(refused.line.message).toContain("a.txt");
  // what to do next is kept with it
  expect(JSON.stringify(refused.details)).toContain("Re-read the file to obtain the current sha256");
  expect((await inside.json("entry", { w: "work", seq: 3 })).of).toEqual([1]);
  expect((await inside.get("/page/api/entry?w=work&seq=99")).status).toBe(404);
});

it("the timeline counts lines; a stale refusal has the diff since the version that it named, and no other file's", async () => {
  const workspace = memoryWorkspace({ "a.txt": text(), "b.txt": "secret\n" });
  const [one, other] = [workspace.session({ agent: "one" }), workspace.session({ agent: "other" })];
  const { sha } = await one.read("a.txt");
  await other.write("a.txt", text({ 3: "three\n" }), waived);
  await expect(one.write("a.txt", "x", { expectedSha256: sha })).rejects.toThrow();
  const stranger = (await one.read("b.txt")).sha;
  await expect(one.write("a.txt", "x", { expectedSha256: stranger })).rejects.toThrow();
  const inside = await enter(await openPage(workspace));
  const { entries } = await inside.json("timeline");
  expect(entries.map(({ lines }: { lines?: object }) => lines)).toEqual([
    undefined,
    undefined,
    { insertions: 1, deletions: 1 },
  ]);
  const { files } = await inside.json("entry", { w: "work", seq: 2 });
  expect(files).toMatchObject([{ path: "a.txt", diff: { insertions: 1, deletions: 1 } }]);
  expect(files[0].diff.text).toContain("-line 3\n+three\n");
  expect((await inside.json("entry", { w: "work", seq: 3 })).files).toEqual([]);
});

it("an entry of many files tells them in parts; one that never happened is told as such", async () => {
  const workspace = memoryWorkspace({});
  const paths = Array.from({ length: 60 }, (_, n) => `file-${n}`);
  const targets = paths.map((path) => ({ path, action: "create", proof: { by: "absence" } }) as const);
  await workspace.session({ agent: "codex" }).change(targets, () => paths.map(() => ({ body: "x\n" })));
  const inside = await enter(await openPage(workspace));
  const first = await inside.json("entry", { w: "work", seq: 1 });
  const rest = await inside.json("entry", { w: "work", seq: 1, skip: first.files.length });
  expect([first.files.length, first.moreFiles, rest.files.length, rest.moreFiles]).toEqual([50, 10, 10, 0]);
  await workspace.backend.record({ session: "s", tool: "recovery", outcome: "aborted", changes: [], of: [1] });
  const { entries } = await inside.json("timeline");
  expect(entries.map(({ outcome }: { outcome: string }) => outcome)).toEqual(["aborted", "aborted"]);
});

it("a long diff is cut, says so, and is whole when asked for", async () => {
  const long = (word: string) => Array.from({ length: 4000 }, (_, n) => `${word} ${n} ${"x".repeat(50)}\n`).join("");
  const workspace = memoryWorkspace({ "a.txt": long("old") });
  await workspace.session({ agent: "codex" }).write("a.txt", long("new"), waived);
  const inside = await enter(await openPage(workspace));
  const first = (await inside.json("entry", { w: "work", seq: 1 })).files[0].diff;
  expect(first).toMatchObject({ truncated: true, insertions: 4000 });
  const whole = (await inside.json("diff", { w: "work", seq: 1, path: "a.txt" })).diff;
  expect(whole.truncated).toBe(false);
  expect(whole.text.length).toBeGreaterThan(first.text.length);
});

it("a file has its history, any version, the difference of any two; pictures are sent so that nothing in them runs", async () => {
  const workspace = memoryWorkspace({ "a.txt": "1\n", "b.png": PNG });
  const agent = workspace.session({ agent: "codex" });
  for (const content of ["2\n", "3\n"]) await agent.write("a.txt", content, waived);
  await agent.write("b.png", Buffer.concat([PNG, Buffer.from([0])]), waived);
  const inside = await enter(await openPage(workspace));
  const { versions, now } = await inside.json("file", { w: "work", path: "a.txt" });
  expect(versions.map(({ seq }: { seq: number }) => seq)).toEqual([2, 1]);
  const [newest, oldest] = [versions[0].to, versions[1].from];
  expect(now.sha).toBe(newest);
  expect(await inside.json("version", { w: "work", path: "a.txt", sha: oldest })).toMatchObject({ text: "1\n" });
  const compared = await inside.json("compare", { w: "work", path: "a.txt", from: oldest, to: newest });
  expect(compared.diff.text).toContain("-1\n+3\n");
  const picture = (await inside.json("entry", { w: "work", seq: 3 })).files[0];
  expect(picture.diff).toEqual({ left: "binary" });
  const sent = await inside.get(`/page/api/picture?w=work&path=b.png&sha=${picture.before}`);
  expect(sent.headers.get("content-type")).toBe("image/png");
  expect(sent.headers.get("content-security-policy")).toBe("default-src 'none'; sandbox");
  expect(sent.headers.get("x-content-type-options")).toBe("nosniff");
  expect(Buffer.from(await sent.arrayBuffer())).toEqual(PNG);
  expect((await inside.get(`/page/api/picture?w=work&path=a.txt&sha=${newest}`)).status).toBe(409);
  expect((await inside.get(`/page/api/version?w=work&path=a.txt&sha=${picture.before}`)).status).toBe(404);
  expect((await inside.get("/page/api/file?w=work&path=../../etc/passwd")).status).toBe(403);
});

it("the net change of a session is one diff for each file", async () => {
  const workspace = memoryWorkspace({ "a.txt": text(), "b.txt": "b\n" });
  const agent = workspace.session({ agent: "codex" });
  for (let n = 1; n <= 5; n++) await agent.write("a.txt", text({ [n]: `${n}\n` }), waived);
  await agent.write("b.txt", "c\n", waived);
  await agent.write("b.txt", "b\n", waived);
  const inside = await enter(await openPage(workspace));
  const net = await inside.json("net", { w: "work", session: agent.id });
  expect(net).toMatchObject({ entries: 7, files: [{ path: "a.txt", diff: { insertions: 1, deletions: 1 } }] });
  expect((await inside.get("/page/api/net?w=work")).status).toBe(400);
});

it("undo: previewed, then just that; never more than one file unseen, nor what has changed since", async () => {
  const workspace = memoryWorkspace({ "a.txt": "a\n", "b.txt": "b\n" });
  const agent = workspace.session({ agent: "codex" });
  for (const path of ["a.txt", "b.txt"]) await agent.write(path, "agent\n", waived);
  const inside = await enter(await openPage(workspace));
  const what = { w: "work", agent: "codex" };
  expect(await inside.tell("undo", what)).toMatchObject({ kind: "invalid_input" });
  const preview = await inside.tell("preview", what);
  expect(preview).toMatchObject({ undone: [2, 1], files: [{ path: "b.txt" }, { path: "a.txt" }] });
  expect(preview.files[0].diff.text).toContain("-agent\n+b\n");
  expect(await contentOf(workspace, "a.txt")).toBe("agent\n");
  await agent.write("a.txt", "later\n", waived);
  const stale = await inside.tell("undo", { ...what, preview: preview.preview, undone: preview.undone });
  expect(stale).toMatchObject({ kind: "stale_file" });
  expect(await contentOf(workspace, "b.txt")).toBe("agent\n");
  const again = await inside.tell("preview", what);
  const done = await inside.tell("undo", { ...what, preview: again.preview, undone: again.undone });
  expect(done).toMatchObject({ entry: 4, files: 2 });
  expect([await contentOf(workspace, "a.txt"), await contentOf(workspace, "b.txt")]).toEqual(["a\n", "b\n"]);
  expect((await inside.json("entry", { w: "work", seq: 4 })).line).toMatchObject({ agent: "ada", tool: "page" });
});

it("undo of a session, and of all since a time, with what each comes to", async () => {
  const workspace = memoryWorkspace({ "a.txt": "a\n", "b.txt": "b\n", "c.txt": "c\n" });
  const [one, two] = [workspace.session({ agent: "codex" }), workspace.session({ agent: "codex" })];
  for (const path of ["a.txt", "b.txt"]) await one.write(path, "one\n", waived);
  const inside = await enter(await openPage(workspace));
  await new Promise((resolve) => setTimeout(resolve, 5));
  const since = new Date().toISOString();
  await two.write("c.txt", "two\n", waived);
  for (const [what, paths] of [
    [{ since }, ["c.txt"]],
    [{ session: one.id }, ["b.txt", "a.txt"]],
  ] as const) {
    const asked = { w: "work", ...what };
    expect((await inside.json("net", asked)).files.map(pathOf)).toEqual([...paths].sort());
    const { preview, undone, files, count } = await inside.tell("preview", asked);
    expect([files.map(pathOf), count]).toEqual([paths, paths.length]);
    expect(await inside.tell("undo", { ...asked, preview, undone })).toMatchObject({ files: paths.length });
    expect((await inside.json("net", asked)).files).toEqual([]);
    expect(await inside.tell("undo", { ...asked, preview, undone })).toHaveProperty("kind");
  }
  const contents = await Promise.all(["a.txt", "b.txt", "c.txt"].map((path) => contentOf(workspace, path)));
  expect(contents).toEqual(["a\n", "b\n", "c\n"]);
  expect((await inside.post("/page/api/preview", { w: "work", since: "then" })).status).toBe(400);
});

const pathOf = ({ path }: { readonly path: string }): string => path;

it("a preview tells what becomes of modes too, also where nothing else changes", async () => {
  const root = directoryWith({ "run.sh": "echo\n" });
  chmodSync(join(root, "run.sh"), 0o755);
  const workspace = workspaceIn(root);
  await workspace.session({ agent: "codex" }).write("run.sh", "echo 2\n", waived);
  writeFileSync(join(root, "run.sh"), "echo\n");
  chmodSync(join(root, "run.sh"), 0o644);
  const inside = await enter(await openPage(workspace));
  const preview = await inside.tell("preview", { w: "work", since: "2000-01-01" });
  expect(preview).toMatchObject({ count: 1, files: [{ path: "run.sh" }] });
  expect(preview.warnings).toEqual(["run.sh: mode 644 -> mode 755 (as the journal says)"]);
});

it("a preview that is refused leaves nothing in the journal; a change that is refused does", async () => {
  const workspace = memoryWorkspace({}, { policy: { deniedPaths: ["closed.txt"] } });
  await new Workspace(workspace.backend).session({ agent: "codex" }).create("closed.txt", "x\n");
  const inside = await enter(await openPage(workspace));
  const asked = [
    { w: "work", entry: 1 },
    { w: "work", agent: "codex" },
    { w: "work", entry: 1, path: "closed.txt", hunk: 1 },
    { w: "work", entry: 7 },
  ];
  for (const what of asked) expect(await inside.tell("preview", what)).toMatchObject({ kind: expect.any(String) });
  expect((await inside.json("timeline")).entries).toHaveLength(1);
  expect(await inside.tell("undo", asked[0])).toMatchObject({ kind: "permission_denied" });
  expect((await inside.json("timeline")).entries).toMatchObject([{ outcome: "refused", agent: "ada" }, { seq: 1 }]);
});

it("a part without its file or its entry is nothing to take back", async () => {
  const workspace = memoryWorkspace({ "a.txt": "a\n" });
  await workspace.session({ agent: "codex", id: "s" }).write("a.txt", "b\n", waived);
  const inside = await enter(await openPage(workspace));
  for (const what of [{ entry: 1 }, { path: "a.txt", session: "s" }])
    expect(await inside.tell("undo", { w: "work", hunk: 1, ...what })).toMatchObject({ kind: "invalid_input" });
  expect(await contentOf(workspace, "a.txt")).toBe("b\n");
});

it("what was previewed is what is done: not on top of what came after the preview", async () => {
  const workspace = memoryWorkspace({ "a.txt": text() });
  const agent = workspace.session({ agent: "codex" });
  await agent.write("a.txt", text({ 2: "two\n" }), waived);
  const inside = await enter(await openPage(workspace));
  const what = { w: "work", entry: 1, merge: true };
  const { preview } = await inside.tell("preview", what);
  await agent.write("a.txt", text({ 2: "two\n", 20: "twenty\n" }), waived);
  expect(await inside.tell("undo", { ...what, preview })).toMatchObject({
    kind: "stale_file",
    message: expect.stringContaining("since the preview"),
  });
  const again = await inside.tell("preview", what);
  expect(await inside.tell("undo", { ...what, preview: again.preview })).toMatchObject({ entry: 3 });
  expect(await contentOf(workspace, "a.txt")).toBe(text({ 20: "twenty\n" }));
});

it("undo of one file of an entry, of one hunk, and conflicts with both sides", async () => {
  const workspace = memoryWorkspace({ "a.txt": text(), "b.txt": "b\n" });
  const agent = workspace.session({ agent: "codex" });
  const targets = ["a.txt", "b.txt"].map((path) => ({ path, action: "edit", ...waived }) as const);
  await agent.change(targets, () => [{ body: text({ 2: "two\n", 20: "twenty\n" }) }, { body: "B\n" }]);
  const inside = await enter(await openPage(workspace));
  const entry = { w: "work", entry: 1 };
  expect(await inside.tell("undo", { ...entry, path: "b.txt" })).toMatchObject({ entry: 2 });
  expect(await contentOf(workspace, "b.txt")).toBe("b\n");
  const hunk = { ...entry, path: "a.txt", hunk: 2 };
  expect((await inside.tell("preview", hunk)).files[0].diff.text).toContain("+line 20");
  expect(await inside.tell("undo", hunk)).toMatchObject({ entry: 3 });
  expect(await contentOf(workspace, "a.txt")).toBe(text({ 2: "two\n" }));
  await agent.write("a.txt", text({ 2: "zwei\n" }), waived);
  expect(await inside.tell("preview", { ...entry, path: "a.txt" })).toMatchObject({
    kind: "stale_file",
    later: [3, 4],
  });
  expect(await inside.tell("preview", { ...entry, path: "a.txt", merge: true })).toMatchObject({
    kind: "merge_conflict",
    conflicts: [{ inFile: "zwei\n", wanted: "line 2\n" }],
  });
});

it("deleted files come back; marks are set, taken off, and left out of what is unreviewed", async () => {
  const workspace = memoryWorkspace({ "a.txt": "a\n" });
  await workspace.session({ agent: "codex" }).delete("a.txt", waived);
  const inside = await enter(await openPage(workspace));
  expect((await inside.json("trash", { w: "work" })).items).toMatchObject([{ id: "1", path: "a.txt", agent: "codex" }]);
  expect(await inside.tell("restore", { w: "work", id: "1" })).toMatchObject({ entry: 2 });
  expect(await contentOf(workspace, "a.txt")).toBe("a\n");
  await inside.tell("review", { w: "work", seqs: [1] });
  const seqs = async () =>
    (await inside.json("timeline", { unreviewed: 1 })).entries.map(({ seq }: { seq: number }) => seq);
  expect(await seqs()).toEqual([2]);
  expect((await inside.json("entry", { w: "work", seq: 1 })).line.reviewed).toBe(true);
  await inside.tell("review", { w: "work", seqs: [1], reviewed: false });
  expect(await seqs()).toEqual([2, 1]);
  expect((await inside.post("/page/api/review", { w: "work", seqs: ["1"] })).status).toBe(400);
});

it("health, head and size are told; verifying tells its progress and the result", async () => {
  const workspace = workspaceIn(directoryWith({}));
  await workspace.session({ agent: "codex" }).create("a.txt", "a\n");
  const health = async function* () {
    yield { about: "locks", state: "ok", what: "held" } as const;
  };
  const inside = await enter(await openPage(workspace, { health }));
  expect((await inside.json("health")).findings).toEqual([{ about: "locks", state: "ok", what: "held" }]);
  const { workspaces } = await inside.json("state");
  expect(workspaces).toMatchObject([{ w: "work", head: { seq: 1, hash: expect.stringMatching(/^[0-9a-f]{64}$/) } }]);
  const told = await (await inside.get("/page/api/verify?w=work")).text();
  expect(told).toContain('"done":{"ok":true');
  expect(told).toContain('data: {"entries":0,"total":1}\n');
});

it("new entries are streamed, and a page that was away gets what it missed", async () => {
  const workspace = memoryWorkspace({});
  const agent = workspace.session({ agent: "codex" });
  await agent.create("1.txt", "x");
  const inside = await enter(await openPage(workspace));
  const first = await events(inside, "/page/api/events?outcome=refused", 2, () => agent.create("2.txt", "x"));
  expect(first[0]).toMatchObject({ event: "ready" });
  expect(first[1]).toMatchObject({ event: "entry", data: { fits: false, line: { seq: 2, agent: "codex" } } });
  const { after } = await inside.json("timeline");
  await agent.create("3.txt", "x");
  const since = await events(inside, `/page/api/events?after=${encodeURIComponent(after)}`, 2, async () => {});
  expect(since[1]!.data.line.seq).toBe(3);
  const resumed = await events(inside, "/page/api/events", 3, async () => {}, { "last-event-id": first[0]!.id! });
  expect(resumed.slice(1).map(({ data }) => data.line.seq)).toEqual([2, 3]);
});

it("a page that was away for long is told to look anew, not each entry", async () => {
  const workspace = memoryWorkspace({});
  for (let n = 0; n < 1001; n++)
    await workspace.backend.record({ session: "s", tool: "t", outcome: "note", changes: [] });
  const inside = await enter(await openPage(workspace));
  const after = encodeURIComponent(JSON.stringify({ work: 0 }));
  const [first] = await events(inside, `/page/api/events?after=${after}`, 1, async () => {});
  expect(first!.event).toBe("missed");
  const near = encodeURIComponent(JSON.stringify({ work: 1 }));
  const told = await events(inside, `/page/api/events?after=${near}`, 1001, async () => {});
  expect([told[0]!.event, told.at(-1)!.data.line.seq]).toEqual(["ready", 1001]);
  const later = encodeURIComponent(JSON.stringify({ work: 5000 }));
  expect((await events(inside, `/page/api/events?after=${later}`, 1, async () => {}))[0]!.event).toBe("missed");
});

it("of a purged file the deleted version is gone, and older ones are shown while they are kept", async () => {
  const workspace = memoryWorkspace({});
  const agent = workspace.session({ agent: "codex" });
  await agent.create("a.txt", "older\n");
  await agent.write("a.txt", "password\n", waived);
  await agent.delete("a.txt", waived);
  const inside = await enter(await openPage(workspace));
  const { versions } = await inside.json("file", { w: "work", path: "a.txt" });
  await purge(agent, "a.txt");
  const [, second, first] = versions.map(({ to }: { to: string | null }) => to);
  const seen = (sha: string) => inside.json("version", { w: "work", path: "a.txt", sha });
  expect(await seen(second)).toMatchObject({ kind: "not_kept" });
  expect(await seen(first)).toMatchObject({ text: "older\n" });
  const { files } = await inside.json("entry", { w: "work", seq: 3 });
  expect(files[0].diff).toEqual({ left: "not kept" });
});
