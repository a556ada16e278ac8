// What is searched at all is the same in memory, with ripgrep and without, in every mode; and what is not is said.
import type { Path } from "stet";
import type { GrepRequest } from "stet/search";
import { describe, expect, it } from "vitest";
import { PLACES } from "./places.ts";

const MODES = ["lines", "files", "count"] as const;
const wide = (text: string) => Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(text, "utf16le")]);

describe.each(PLACES)("what is searched, %s", (_, open) => {
  it("a file with a NUL anywhere is binary in every mode and on every page", async () => {
    const place = open({
      "late.txt": `${"needle\n".repeat(12_000)}\0needle\n`,
      "later.txt": `${"x\n".repeat(70_000)}\0\nneedle\n`,
      "early.txt": "needle\n\0",
      "wide.txt": wide(`needle\n${"x".repeat(40_000)}\0\n`),
      "u.txt": "needle\n",
      "v.txt": wide("needle\n"),
    });
    const variants: Partial<GrepRequest>[] = [{}, { limit: 1 }, { multiline: true, firstPerLine: false }];
    for (const mode of MODES) {
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

  it("counts are of lines, unless every match is asked for, across lines, too", async () => {
    const place = open({ "g.md": "needle\nneedle needle\n" });
    const count = async (ask: Partial<GrepRequest>) =>
      (await place.grep({ pattern: "needle", mode: "count", ...ask })).files[0]?.count;
    expect([await count({}), await count({ multiline: true })]).toEqual([2, 2]);
    expect([await count({ firstPerLine: false }), await count({ firstPerLine: false, multiline: true })]).toEqual([
      3, 3,
    ]);
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

it("no depth is too deep, unless the glob would take too long there: then that is said", async () => {
  const deep = (levels: number) => `${"d/".repeat(levels)}x.txt` as Path;
  const [, open] = PLACES[0]!;
  const place = open({ [deep(40)]: "needle\n", [deep(140)]: "needle\n" });
  const { files, notes, total } = await place.grep({ pattern: "needle" });
  expect([files.map(({ path }) => path), notes, total]).toEqual([[deep(140), deep(40)], [], 2]);
  const found = await place.find({ pattern: "**/d/**/d/**/*.txt" });
  expect(found.files).toMatchObject([{ path: deep(40) }]);
  expect(found.notes).toEqual([expect.stringMatching(/more than 128 levels .+ such as d\/d\//)]);
});
