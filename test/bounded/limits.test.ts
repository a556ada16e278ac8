// How much one call may ask for: refused in words that name the limit, and the last allowed one is done.
import { applySplices, parsePatch, replaceEdits, replaceText } from "stet/edit";
import { workspace } from "stet/surfaces";
import { describe, expect, it } from "vitest";
import { agentWith } from "../support/agent.ts";

/** Of one call. */
const most = 100_000;
const MAX_ITEMS = 1_000;

describe("places that one call replaces", () => {
  const text = "ab\n".repeat(most);
  const all = { oldText: "a", newText: "cc", replaceAll: true } as const;

  it("are as many as the limit says, and one more is refused", () => {
    const { splices, applied } = replaceEdits(text, [all]);
    expect(applied[0]).toMatchObject({ occurrences: most });
    expect(applySplices(text, splices)).toBe("ccb\n".repeat(most));
    expect(() => replaceEdits(`${text}a`, [all])).toThrow(`at most ${most}`);
    expect(() => replaceEdits(`${text}aa`, [{ ...all, replaceAll: false }])).toThrow(`is in ${most + 2} places`);
    const expected = { oldText: "a", newText: "cc", expectedOccurrences: most + 1 };
    expect(() => replaceEdits(`${text}a`, [expected])).toThrow(`at most ${most}`);
  });

  it("are counted over all edits of the call", () => {
    expect(() => replaceEdits(`${text}c`, [all, { oldText: "c", newText: "d" }])).toThrow("leave 0");
  });

  it("are all replaced or none where the ladder looks, also where they overlap", () => {
    const replaceAll = { replaceAll: true };
    expect(replaceText(text, "a", "cc", replaceAll)).toMatchObject({ ok: true, text: "ccb\n".repeat(most) });
    expect(replaceText(`${text}a`, "a", "cc", replaceAll)).toMatchObject({ ok: false, kind: "invalid_input" });
    expect(replaceText(`${text}a`, "a", "cc")).toMatchObject({
      kind: "multiple_matches",
      message: expect.stringContaining(`is in ${most + 1} places: lines 1, 2, 3`),
    });
    expect(replaceText("a".repeat(most + 10), "aaaaaaaaaa", "b", replaceAll)).toMatchObject({ ok: false });
    expect(replaceText("a".repeat(most), "aaaaaaaaaa", "b", replaceAll)).toMatchObject({ text: "b".repeat(most / 10) });
  });
});

describe("lists in the arguments", () => {
  const edits = (count: number) => Array.from({ length: count }, (_, n) => ({ oldText: `<${n}>`, newText: `(${n})` }));
  const text = edits(MAX_ITEMS + 1)
    .map(({ oldText }) => oldText)
    .join("");

  it("have as many entries as the limit says, and one more is refused before anything is looked at", async () => {
    const agent = agentWith(workspace, { a: text });
    const expectedSha256 = await agent.sha("a");
    const edit = (count: number) => agent.call("edit_file", { path: "a", edits: edits(count), expectedSha256 });
    const refused = await edit(MAX_ITEMS + 1);
    expect(refused.text).toBe(
      "Edit rejected, file unchanged. `edits` has 1001 entries; the limit is 1000. Make several calls, each with a part of them.",
    );
    expect((await edit(MAX_ITEMS)).ok).toBe(true);
    const globs = { query: "a", mode: "text", excludeGlobs: Array(1001).fill("x") };
    expect((await agent.call("search_files", globs)).text).toContain("`excludeGlobs` has 1001 entries");
    const shas = Object.fromEntries(Array.from({ length: 1001 }, (_, n) => [`f${n}`, ""]));
    const patch = "*** Begin Patch\n*** Add File: b\n+b\n*** End Patch";
    const patched = await agent.call("apply_patch", { patch, expectedSha256ByPath: shas });
    expect(patched.text).toContain("`expectedSha256ByPath` has 1001 entries");
    const extra = await agent.call("read_file", { path: "a", ...shas });
    expect(extra.text).toBe(
      "Nothing was read. The call has 1002 entries; the limit is 1000. Make several calls, each with a part of them.",
    );
  });
});

it("a patch has so many hunks, over all of its files", () => {
  const file = (name: string, hunks: number) => `*** Update File: ${name}\n${"@@\n-a\n+b\n".repeat(hunks)}`;
  const patch = (hunks: number) => `*** Begin Patch\n${file("a", 5000)}${file("b", hunks)}*** End Patch`;
  expect(parsePatch(patch(5000)).sections).toHaveLength(2);
  expect(() => parsePatch(patch(5001))).toThrow("more than 10000 hunks");
});

it("a path that no system takes is refused without being quoted", async () => {
  const { text } = await agentWith(workspace, {}).call("read_file", { path: "a/".repeat(3000) });
  expect(text).toContain("`path` has 6000 characters; the limit is 4096 bytes.");
  expect(text.length).toBeLessThan(300);
});

it("an answer has so many matches, and says that there are more", async () => {
  const agent = agentWith(workspace, { a: "x\n".repeat(20_000) });
  const search = { query: "x", mode: "text", maxResults: 1_000_000 };
  const plain = await agent.done("search_files", search);
  expect(plain.data).toMatchObject({ truncated: true });
  expect(plain.data.matches).toHaveLength(10_000);
  expect(plain.text).toContain("narrow the query; one answer has room for 10000.");
  const around = await agent.done("search_files", { ...search, contextLines: 1000 });
  expect(around.data.matches).toHaveLength(99);
  expect(around.text).toContain("contextLines: at most 100 lines are shown around a hit.");
});
