// What is searched at all is the same in memory, with ripgrep and without, in every mode; and what is not is said.
import type { Path } from "stet";
import type { GrepRequest } from "stet/search";
import { describe, expect, it } from "vitest";
import { PLACES } from "./places.ts";

const wide = (text: string) => Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(text, "utf16le")]);

describe.each(PLACES)("what is searched, %s", (_, open) => {
  it("a file with a NUL is binary in every mode, unless the page is full before it", async () => {
    const place = open({
      "late.txt": `needle\n${"x\n".repeat(70_000)}\0needle\n`,
      "later.txt": `${"x\n".repeat(70_000)}\0\nneedle\n`,
      "early.txt": "needle\n\0",
      "wide.txt": wide(`needle\n${"x".repeat(40_000)}\0\n`),
      "u.txt": "needle\n",
      "v.txt": wide("needle\n"),
    });
    const variants: Partial<GrepRequest>[] = [{}, { limit: 1 }];
    for (const mode of ["lines", "count"] as const) {
      for (const variant of variants) {
        const { files, truncated } = await place.grep({ pattern: "needle", mode, ...variant });
        const paths = files.map(({ path, count }) => `${path}:${count}`);
        expect([mode, variant, paths]).toEqual([mode, variant, variant.limit ? ["u.txt:1"] : ["u.txt:1", "v.txt:1"]]);
        expect(truncated).toBe(variant.limit === 1);
      }
    }
    for (const named of ["late.txt", "early.txt"]) {
      for (const ask of [{ limit: 5 }, { mode: "count" as const }]) {
        const { files, notes, total } = await place.grep({ pattern: "needle", root: named as Path, ...ask });
        expect([named, files, total]).toEqual([named, [], undefined]);
        expect(notes).toEqual([
          `${named} has NUL characters: it is taken for binary, and binary files are not searched.`,
        ]);
      }
    }
  });

  it("counts are of lines, across lines, too", async () => {
    const place = open({ "g.md": "needle\nneedle needle\n" });
    for (const multiline of [false, true]) {
      const { files } = await place.grep({ pattern: "needle", mode: "count", multiline });
      expect(files).toEqual([{ path: "g.md", count: 2 }]);
    }
  });

  it("what is denied, excluded or too large is in no count", async () => {
    const files = {
      "a.txt": "needle\n",
      "b.txt": "",
      ".env": "needle\n",
      "k.pem": "needle\n",
      "private/x": "needle\n",
      "out/x": "needle\n",
      "out/some/y": "needle\n",
      "large.txt": "x".repeat(100),
    };
    const place = open(files, { policy: { deniedPaths: ["private"] } });
    const ask = {
      pattern: "needle",
      hidden: true,
      gitignore: false,
      countFiles: true,
      exclude: ["o*t"],
      maxFileBytes: 99,
    };
    expect(await place.grep(ask)).toMatchObject({ atLeast: 1, filesScanned: 2 });
    expect(await place.grep({ ...ask, include: ["b*", "k.pem"] })).toMatchObject({ total: 0, filesScanned: 1 });
    expect(await place.grep({ ...ask, root: "a.txt" as Path })).toMatchObject({ total: 1, filesScanned: 1 });
    expect(await place.grep({ ...ask, countFiles: false })).not.toHaveProperty("filesScanned");
  });
});

it("a file that is too large is named, and refused when it is all that is asked for", async () => {
  const [, open] = PLACES[0]!;
  const place = open({ "big.txt": "a\n".repeat(1000), "sub/small.txt": "needle\n" });
  expect(await place.grep({ pattern: "needle", maxFileBytes: 1000 })).toMatchObject({
    files: [{ path: "sub/small.txt" }],
    notes: ["Not searched, because larger than 1000 bytes: big.txt. Read a range of lines there instead."],
  });
  await expect(place.grep({ pattern: "needle", root: "big.txt" as Path, maxFileBytes: 1000 })).rejects.toThrow(
    /big\.txt has 2000 bytes; files of more than 1000 are not searched/,
  );
});

it("no depth is too deep, unless the glob would take too long there", async () => {
  const deep = (levels: number) => `${"d/".repeat(levels)}x.txt` as Path;
  const [, open] = PLACES[0]!;
  const place = open({ [deep(40)]: "needle\n", [deep(140)]: "needle\n" });
  const { files, total } = await place.grep({ pattern: "needle" });
  expect([files.map(({ path }) => path), total]).toEqual([[deep(140), deep(40)], 2]);
  expect((await place.find({ pattern: "**/d/**/d/**/*.txt" })).files).toMatchObject([{ path: deep(40) }]);
  const without = { pattern: "**/*.txt", exclude: ["**/e/**/e/**/*.txt"] };
  expect((await place.find(without)).files).toMatchObject([{ path: deep(40) }]);
});
