/// <reference lib="dom" />
// What the page's script keeps and sends, against a real server, without a browser around it.
import { afterEach, expect, it } from "vitest";
import { newsOf } from "../../../src/page/state/news.ts";
import { mark } from "../../../src/page/state/review.ts";
import { said } from "../../../src/page/state/said.ts";
import { asking, closeAsking, previewOf } from "../../../src/page/state/takeback.ts";
import type { EntryLine } from "../../../src/page/wire.ts";
import { memoryWorkspace } from "../../support/workspace.ts";
import { type Browser, enter, openPage } from "../support.ts";

const real = globalThis.fetch;
afterEach(() => {
  globalThis.fetch = real;
});

/** Requests of the script go to the server, with what a browser would add. */
function actAs({ cookie, key }: Browser, url: string, before: (body: string) => unknown = () => undefined): void {
  globalThis.fetch = async (address, init = {}) => {
    if (!String(address).startsWith("/")) return real(address, init);
    await before(String(init.body));
    return real(url + address, { ...init, headers: { ...init.headers, cookie, origin: url, "x-stet-page": key } });
  };
}

it("more entries than one note holds are marked, in parts", async () => {
  const workspace = memoryWorkspace({});
  for (let n = 0; n < 10_001; n++)
    await workspace.backend.record({ session: "s", tool: "t", outcome: "refused", changes: [], error: "busy" });
  const page = await openPage(workspace);
  const inside = await enter(page);
  actAs(inside, page.url);
  const seqs = Array.from({ length: 10_001 }, (_, n) => n + 1);
  await mark("work", seqs, true);
  expect(said.value).toEqual({ text: expect.stringContaining("marked as reviewed"), bad: false });
  expect((await inside.json("timeline", { unreviewed: 1 })).entries).toEqual([]);
});

it("an entry is told in one sentence: who, what, which file, and why not", () => {
  const line = { w: "w", seq: 9, at: "", session: "s", tool: "edit_file", reviewed: false, files: 1 } as const;
  const told = (more: Partial<EntryLine>): string =>
    newsOf({ ...line, outcome: "applied", agent: "ada", paths: ["v\u202e.txt"], ...more });
  expect(told({})).toBe("ada changed v\\u{202e}.txt.");
  expect(told({ outcome: "refused", error: "stale_file" })).toBe("ada was refused: v\\u{202e}.txt, stale file.");
  expect(told({ outcome: "external" })).toBe("Another program changed v\\u{202e}.txt.");
  expect(told({ of: [7, 1, 2, 3, 4, 5, 6, 9], files: 4 })).toBe("ada took back 1–7, 9: 4 files.");
  expect(told({ of: [3], part: true })).toBe("ada took back a part of 3: v\\u{202e}.txt.");
  expect(told({ of: [3], restored: true })).toBe("ada brought back v\\u{202e}.txt.");
});

it("a refusal that comes late does not take the place of what was asked for since", async () => {
  const workspace = memoryWorkspace({ "a.txt": "a\n" });
  await workspace.session({ agent: "codex" }).write("a.txt", "b\n", { proof: { by: "waived" } });
  const page = await openPage(workspace);
  const inside = await enter(page);
  let release = (): void => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  actAs(inside, page.url, (body) => (body.includes("99") ? held : undefined));
  const late = previewOf("entry 99", { w: "work", entry: 99 });
  closeAsking();
  await previewOf("entry 1", { w: "work", entry: 1 });
  release();
  await late;
  expect(asking.value).toMatchObject({ title: "entry 1", preview: { count: 1 } });
  expect(said.value.bad).toBe(true);
});
