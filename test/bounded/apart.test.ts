// Work apart in the built package: the same results as here, ended at the deadline with nothing changed, and a heap that is
// full ends only the process that filled it.
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, it } from "vitest";
import type * as Stet from "../../src/index.ts";
import type * as Surfaces from "../../src/surfaces/index.ts";
import { tempDir } from "../support/temp.ts";

const DIST = pathToFileURL(join(import.meta.dirname, "../../dist/"));
const { openWorkspace } = (await import(new URL("index.js", DIST).href)) as typeof Stet;
const {
  call,
  workspace: surface,
  compact,
  anchors,
} = (await import(new URL("surfaces/index.js", DIST).href)) as typeof Surfaces;

const lines = Array.from({ length: 100_000 }, (_, n) => `line ${n} of this\n`).join("");
const sha = (text: string) => createHash("sha256").update(text).digest("hex");

function opened(text: string) {
  const root = tempDir();
  writeFileSync(join(root, "a"), text);
  const workspace = openWorkspace({ root, durability: "fast" });
  return { workspace, session: workspace.session(), text: () => readFileSync(join(root, "a"), "utf8") };
}

it("gives the same result as work done here, and the same refusals", async () => {
  const { workspace, session, text } = opened(lines);
  const edits = [{ oldText: "7 of", newText: "7 $& of", replaceAll: true }];
  const edited = await call(session, surface, "edit_file", { path: "a", edits, expectedSha256: sha(lines) });
  const wanted = lines.replaceAll("7 of", () => "7 $& of");
  expect(edited).toMatchObject({
    ok: true,
    data: { afterSha256: sha(wanted), appliedEdits: [{ occurrences: 10_000 }] },
  });
  expect(edited.text).toContain("-line 7 of this\n");
  expect(text()).toBe(wanted);
  const missing = [{ oldText: "line 12 off", newText: "x" }];
  const refused = await call(session, surface, "edit_file", { path: "a", edits: missing, expectedSha256: sha(wanted) });
  expect(refused).toMatchObject({ ok: false, error: { kind: "old_text_not_found" } });
  expect(refused.text).toContain("line 12 of this");
  await workspace.close();
});

it("is ended when the time is up, and nothing is changed", async () => {
  const { workspace, session, text } = opened(lines);
  const edits = Array.from({ length: 1000 }, (_, n) => ({ oldText: `line ${n * 99} of`, newText: "x" }));
  const input = { path: "a", edits, expectedSha256: sha(lines) };
  const refused = await call(session, surface, "edit_file", input, { deadlineMs: 150 });
  expect(refused).toMatchObject({ ok: false, error: { kind: "timeout" } });
  expect(text()).toBe(lines);
  for await (const { outcome } of workspace.log()) expect(outcome).not.toBe("applied");
  await workspace.close();
});

it("survives a heap that is full, says how large it was, and works on", async () => {
  const blank = "\n".repeat(1024 * 1024);
  const { workspace, session, text } = opened(blank);
  await session.read("a");
  const hopeless = { file_path: "a", old_string: `${"\n".repeat(500_000)}some other words\n`, new_string: "x" };
  const refused = await call(session, compact, "Edit", hopeless);
  expect(refused).toMatchObject({ ok: false, error: { kind: "file_too_large" } });
  expect(refused.text).toMatch(/takes more than \d+ MB, the most that one call may use/);
  const edits = [{ oldText: blank, newText: "x" }];
  expect((await call(session, surface, "edit_file", { path: "a", edits, expectedSha256: sha(blank) })).ok).toBe(true);
  expect(text()).toBe("x");
  await workspace.close();
});

it.skipIf(process.platform !== "linux")(
  "keeps one process for the next work, and only the one with more room",
  async () => {
    const [small, large] = [opened(lines), opened(lines.repeat(4))];
    const edit = async ({ session }: typeof small, text: string, oldText: string) => {
      const input = { path: "a", edits: [{ oldText, newText: "x" }], expectedSha256: sha(text) };
      expect(await call(session, surface, "edit_file", input)).toMatchObject({ error: { kind: "old_text_not_found" } });
      return workers();
    };
    const first = await edit(small, lines, "line 12 off");
    const second = await edit(large, lines.repeat(4), "line 12 off");
    const third = await edit(small, lines, "line 13 off");
    expect([first.length, second.length]).toEqual([1, 1]);
    expect(second).not.toEqual(first);
    expect(third).toEqual(second);
    for (const { workspace } of [small, large]) await workspace.close();
  },
);

it.skipIf(process.platform !== "linux")("what is soon done is done here, also in a long text", async () => {
  const body = Array.from({ length: 10_000 }, (_, n) => `line ${n}: some words of text here\n`).join("");
  const { workspace, session, text } = opened(body);
  const before = new Set(workers());
  const started = () => workers().filter((pid) => !before.has(pid));
  const edits = [{ oldText: "line 7:", newText: "row 7:" }];
  const edited = await call(session, surface, "edit_file", { path: "a", edits, expectedSha256: sha(body) });
  expect(edited).toMatchObject({ ok: true });
  expect(await call(session, compact, "Read", { file_path: "a", limit: 20 })).toMatchObject({ ok: true });
  const edit = { file_path: "a", old_string: "line 8:", new_string: "row 8:" };
  expect(await call(session, compact, "Edit", edit)).toMatchObject({ ok: true });
  const read = await call(session, anchors, "read_file", { path: "a", hashes: true });
  const [, hash] = /^10#(\w{6})/m.exec(read.text) ?? [];
  const operations = [{ op: "replace_line", hash, content: "row 9" }];
  expect(await call(session, anchors, "edit", { path: "a", operations })).toMatchObject({ ok: true });
  expect(text()).toBe(
    body
      .replace("line 7:", "row 7:")
      .replace("line 8:", "row 8:")
      .replace(/line 9: .*/, "row 9"),
  );
  expect(started()).toEqual([]);
  // What is not there to the letter has to be compared with every line.
  const missing = { path: "a", edits: [{ oldText: "line 12 off", newText: "x" }], expectedSha256: sha(text()) };
  expect(await call(session, surface, "edit_file", missing)).toMatchObject({ ok: false });
  expect(started().length + before.size).toBeGreaterThan(0);
  await workspace.close();
});

/** Of this process, those that have not ended. */
function workers(): string[] {
  const tasks = readdirSync("/proc/self/task");
  const children = tasks.flatMap((task) => readFileSync(`/proc/self/task/${task}/children`, "utf8").split(" "));
  return children.filter((pid) => pid.trim() !== "" && commandOf(pid).includes("apart-worker"));
}

function commandOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8");
  } catch {
    return "";
  }
}
