// A directory that is swapped for a link while ripgrep runs: nothing from outside is shown, and nothing inside is lost.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Path } from "../../src/core/backend.ts";
import { momentBefore, movedSince } from "../../src/search/ripgrep/unmoved.ts";
import { directoryWith } from "../support/workspace.ts";
import { diskSession, placeOf, settled, shown } from "./places.ts";

/** Swaps the directory "d" for a link to another and back, as fast as it can, until it is ended. */
const SWAPPER = `
const fs = require("node:fs");
const [root, outside] = process.argv.slice(1);
process.on("SIGTERM", () => process.exit());
process.send("ready");
const hold = () => { for (const end = performance.now() + 0.4; performance.now() < end; ); };
setInterval(() => {
  for (let n = 0; n < 20; n++) {
    fs.renameSync(root + "/d", root + "/.away");
    fs.symlinkSync(outside, root + "/d");
    hold();
    fs.unlinkSync(root + "/d");
    fs.renameSync(root + "/.away", root + "/d");
    hold();
  }
}, 0);
`;

describe("what may have been moved", () => {
  const paths = ["a/b/x", "a/c/y", "z"] as Path[];
  const tree = () => settled(directoryWith({ "a/b/x": "", "a/c/y": "", z: "", "outside/x": "" }));

  it("is nothing when nothing is", async () => {
    const root = tree();
    expect([...(await movedSince({ directory: root, pinned: true }, paths, momentBefore()))]).toEqual([]);
  });

  it("is what lies below a directory that was moved there and back", async () => {
    const root = tree();
    const start = momentBefore();
    renameSync(join(root, "a/b"), join(root, "away"));
    symlinkSync("../outside", join(root, "a/b"));
    renameSync(join(root, "a/b"), join(root, "link"));
    renameSync(join(root, "away"), join(root, "a/b"));
    // In "a" names have changed, and which ones cannot be told.
    expect([...(await movedSince({ directory: root, pinned: true }, paths, start))]).toEqual(["a/b/x", "a/c/y"]);
  });

  it("is everything when names in the root changed, where it was entered by its name", async () => {
    const root = tree();
    const start = momentBefore();
    expect([...(await movedSince({ directory: root, pinned: false }, paths, start))]).toEqual([]);
    writeFileSync(join(root, "new"), "");
    expect([...(await movedSince({ directory: root, pinned: false }, paths, start))]).toEqual(paths);
    expect([...(await movedSince({ directory: root, pinned: true }, paths, start))]).toEqual([]);
  });

  it("is what is not there, and a link, however long it has been there", async () => {
    const root = directoryWith({ "a/b/x": "", z: "" });
    symlinkSync("z", join(root, "link"));
    symlinkSync("a", join(root, "linked"));
    settled(root);
    const asked = ["link", "linked/b/x", "a/b/x", "gone", "gone/x", "z/x"] as Path[];
    expect([...(await movedSince({ directory: root, pinned: true }, asked, momentBefore()))]).toEqual([
      "link",
      "linked/b/x",
      "gone",
      "gone/x",
      "z/x",
    ]);
  });

  it("is what was put into the root, and not what lay there all the time", async () => {
    const root = tree();
    const start = momentBefore();
    writeFileSync(join(root, "new"), "");
    expect([...(await movedSince({ directory: root, pinned: true }, [...paths, "new" as Path], start))]).toEqual([
      "new",
    ]);
    renameSync(join(root, "z"), join(root, "y"));
    symlinkSync("y", join(root, "z"));
    expect([...(await movedSince({ directory: root, pinned: true }, paths, start))]).toEqual(["z"]);
  });
});

describe("a search right after a write", () => {
  it("finds what it finds later, in every dialect, and as fast", async () => {
    const root = settled(
      directoryWith({ "sub/old.txt": "needle\n", "sub/a.txt": `aaab\n${"a".repeat(40)}!\n`, b: "needle\n" }),
    );
    const place = placeOf(diskSession(root), "ripgrep");
    let n = 0;
    for (const pattern of [
      "ne\\Kedle",
      "(?|(n)|(e))\\1?e+dle",
      "ne(*ACCEPT)xx|edle",
      "n\\Xedle",
      "^(a+)+b",
      "^.*$(?<!b)",
    ]) {
      for (const mode of n === 0 ? (["lines", "files", "count"] as const) : (["lines"] as const)) {
        const ask = { pattern, mode, include: ["old.txt", "a.txt", "b"] };
        const later = await place.grep(ask);
        writeFileSync(join(root, `sub/new-${n}.txt`), "");
        writeFileSync(join(root, "b"), "needle\n");
        writeFileSync(join(root, `new-${n++}.txt`), "");
        expect(await place.grep(ask, { deadlineMs: 5000 })).toEqual(later);
        expect(later.files.length).toBeGreaterThan(0);
      }
    }
  });

  it("takes a touched directory in as many command lines as it needs, and keeps pages in order", async () => {
    const long = "n".repeat(200);
    const files = Object.fromEntries(
      Array.from({ length: 250 }, (_, n) => [`sub/${long}${n}.txt`, "needle\nneedle\n"]),
    );
    const root = directoryWith(files);
    const place = placeOf(diskSession(root), "ripgrep");
    const fresh = () => writeFileSync(join(root, "sub/new.txt"), String(performance.now()));
    const later = await place.grep({ pattern: "needle" });
    for (const ask of [{}, { limit: 7 }, { limit: 7, offset: 300 }, { before: 1 }]) {
      const settledAnswer = await place.grep({ pattern: "needle", ...ask });
      writeFileSync(join(root, "sub/gone.txt"), "");
      rmSync(join(root, "sub/gone.txt"));
      expect(await place.grep({ pattern: "needle", ...ask })).toEqual(settledAnswer);
    }
    fresh();
    expect([later.total, (await place.grep({ pattern: "needle" })).total]).toEqual([500, 500]);
  });
});

describe("a search beside a swapper", () => {
  it("shows nothing from outside, and everything from inside", async () => {
    const files = Object.fromEntries(Array.from({ length: 300 }, (_, n) => [`f${n}.txt`, "WORD\n"]));
    const outside = directoryWith(Object.fromEntries(Object.keys(files).map((name) => [name, "SECRET WORD\n"])));
    for (let n = 0; n < 10; n++) writeFileSync(join(outside, `only-outside-${n}.txt`), "SECRET WORD\n");
    const root = directoryWith({ "e/g.txt": "WORD\n" });
    mkdirSync(join(root, "d"));
    for (const [name, text] of Object.entries(files)) writeFileSync(join(root, "d", name), text);
    const place = placeOf(diskSession(root), "ripgrep");
    const swapper = spawn(process.execPath, ["-e", SWAPPER, root, outside], {
      stdio: ["ignore", "ignore", "inherit", "ipc"],
    });
    let unchecked = 0;
    try {
      await once(swapper, "message");
      for (let n = 0; n < 4 || (unchecked === 0 && n < 40); n++) {
        const hits = shown(await place.grep({ pattern: "WORD" }));
        expect(hits.filter((hit) => hit.includes("SECRET") || hit.includes("only-outside"))).toEqual([]);
        expect(hits).toContain("e/g.txt:1:1:WORD");
        for (const mode of ["files", "count"] as const) {
          const found = await place.grep({ pattern: "SECRET", mode });
          expect(found.files).toEqual([]);
        }
        const dialect = await place.grep({ pattern: "WO\\KRD" });
        // Only ripgrep knows the pattern, and what it finds there cannot be believed: then that is said.
        if (dialect.notes.length > 0)
          expect([dialect.notes, dialect.total]).toEqual([
            [expect.stringMatching(/^Matches in d are left out/)],
            undefined,
          ]);
        expect(shown(dialect)).toContain("e/g.txt:1:3:WORD");
        unchecked += dialect.notes.length;
        const names = (await place.find({ pattern: "**/*.txt" })).files.map(({ path }) => path);
        expect(names.filter((name) => name.includes("only-outside"))).toEqual([]);
      }
    } finally {
      swapper.kill();
      await once(swapper, "exit");
    }
    expect(unchecked).toBeGreaterThan(0);
    expect((await placeOf(diskSession(settled(root)), "ripgrep").grep({ pattern: "WORD" })).total).toBe(301);
  });
});
