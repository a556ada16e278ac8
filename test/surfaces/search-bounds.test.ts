// How much a search answers: 250 hits and 64 KB unless more is asked for, and what is said of the rest leads to it.
import { describe, expect, it } from "vitest";
import { Workspace } from "../../src/kernel/workspace.ts";
import { call, surfaceNamed } from "../../src/surfaces/index.ts";
import { BACKENDS } from "../support/workspace.ts";

const KB = 1024;
const SHORT = Array.from({ length: 600 }, (_, n) => `hit ${n}\n`).join("");
const WIDE = Array.from({ length: 200 }, (_, n) => `hit ${n} ${"x".repeat(900)}\n`).join("");
const NEAR = Array.from({ length: 100 }, (_, n) => `hit ${n}\n${"between\n".repeat(20)}`).join("");

const SEARCHES = [
  ["compact", "Grep", { pattern: "^hit" }, "max_results"],
  ["tracked", "Grep", { pattern: "^hit" }, "head_limit"],
  ["workspace", "search_files", { query: "^hit", mode: "regex" }, "maxResults"],
] as const;

describe.each(BACKENDS)("a search on %s", (_name, make) => {
  const opened = (files: Record<string, string>) => {
    const session = new Workspace(make(files)).session();
    return async (surface: string, tool: string, input: object) => {
      const result = await call(session, surfaceNamed(surface), tool, input);
      if (!result.ok) throw new Error(result.text);
      return result.text;
    };
  };
  const hitsIn = (text: string) => [...text.matchAll(/^(?:[^\n]*:)?(\d+): ?hit/gm)].map(([, line]) => Number(line));

  describe.each(SEARCHES)("by %s %s", (surface, tool, input, limit) => {
    it.each([
      ["many hits", SHORT, 600],
      ["long lines", WIDE, 200],
    ])("of %s is cut, and following what it says shows each hit once", async (_what, text, total) => {
      const search = opened({ "a.txt": text });
      const seen: number[] = [];
      for (let offset: string | undefined = "0"; offset !== undefined; ) {
        const answer = await search(surface, tool, { ...input, offset: Number(offset) });
        expect(Buffer.byteLength(answer)).toBeLessThan(64 * KB + 500);
        const hits = hitsIn(answer);
        expect(hits.length).toBeLessThanOrEqual(250);
        seen.push(...hits);
        offset = /with offset (\d+)/.exec(answer)?.[1];
      }
      expect(seen).toEqual(Array.from({ length: total }, (_, n) => n + 1));
    });

    it("gives more when asked for more", async () => {
      const search = opened({ "a.txt": WIDE, "b.txt": SHORT });
      const answer = await search(surface, tool, { ...input, [limit]: 1000 });
      expect(hitsIn(answer)).toHaveLength(800);
    });
  });

  it("counts context that two hits share once", async () => {
    const answer = await opened({ "a.txt": NEAR })("compact", "Grep", { pattern: "^hit", context: 20 });
    expect(hitsIn(answer)).toHaveLength(100);
  });

  it("names the files that are too large to be searched", async () => {
    const search = opened({ "large.txt": `hit\n${"x\n".repeat(2.1 * KB * KB)}`, "small.txt": "hit\n" });
    const answer = await search("workspace", "search_files", { query: "hit", mode: "text" });
    expect(answer).toBe(
      '1 match of "hit"\nsmall.txt\n1: hit\nWarning: Not searched, because larger than 4194304 bytes: large.txt. Read a range of lines there instead.',
    );
  });

  it("by glob has at most 64 KB, too", async () => {
    const files = Object.fromEntries(Array.from({ length: 900 }, (_, n) => [`${"d".repeat(100)}/${n}`, ""]));
    const search = opened(files);
    const answer = await search("workspace", "glob", { pattern: "**/*" });
    expect(Buffer.byteLength(answer)).toBeLessThan(64 * KB + 500);
    expect(answer).toMatch(/There are more \(901 in all\): narrow the pattern or raise maxResults above 1000\.$/);
    expect((await search("workspace", "glob", { pattern: "**/*", maxResults: 2000 })).split("\n")).toHaveLength(902);
  });
});
