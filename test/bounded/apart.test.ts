// Much work in the built package: the right result, ended at the deadline with nothing changed, and more than a heap holds
// is refused while the program goes on.
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type * as Stet from "stet";
import type * as Surfaces from "stet/surfaces";
import { expect, it } from "vitest";
import { tempDir } from "../support/temp.ts";

const DIST = pathToFileURL(join(import.meta.dirname, "../../dist/"));
const { openWorkspace } = (await import(new URL("index.js", DIST).href)) as typeof Stet;
const {
  call,
  workspace: surface,
  compact,
} = (await import(new URL("surfaces/index.js", DIST).href)) as typeof Surfaces;

const lines = Array.from({ length: 100_000 }, (_, n) => `line ${n} of this\n`).join("");
const sha = (text: string) => createHash("sha256").update(text).digest("hex");

function opened(text: string) {
  const root = tempDir();
  writeFileSync(join(root, "a"), text);
  const workspace = openWorkspace({ root, durability: "fast", limits: { callMs: 55_000 } });
  return { workspace, session: workspace.session(), text: () => readFileSync(join(root, "a"), "utf8") };
}

it("gives the right result, and the refusal that a small file would get", async () => {
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
  expect(refused).toMatchObject({
    ok: false,
    error: { kind: "old_text_not_found", details: { candidates: [{ startLine: 13 }, {}, {}] } },
  });
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
