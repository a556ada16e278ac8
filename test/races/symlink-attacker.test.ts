// Reads and writes while another process swaps directories and files for links: nothing gets out. STET_HEAVY=1 for the long run.
import {
  closeSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeSync,
} from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeEach, describe, expect, it } from "vitest";
import { CREATE_ONLY } from "../../src/backends/disk/io.ts";
import { listDirectory } from "../../src/backends/disk/paths/list.ts";
import { openRegular } from "../../src/backends/disk/paths/open.ts";
import { withParent } from "../../src/backends/disk/paths/parent.ts";
import { openRoot, type Root } from "../../src/backends/disk/paths/root.ts";
import { resolve } from "../../src/backends/disk/paths/walk.ts";
import type { Path } from "../../src/core/backend.ts";
import { Refusal } from "../../src/core/failure.ts";
import { type Playground, playground } from "../backends/disk-playground.ts";
import { hasCompiler, race, removeAttacker, type Tally } from "./symlink-attacker.ts";

const HEAVY = Boolean(process.env.STET_HEAVY);
const READS = HEAVY ? 60_000 : 1500;
const WRITES = HEAVY ? 30_000 : 500;
const tallies: [string, Tally][] = [];

describe.skipIf(process.platform !== "linux")(
  "under a swapping attacker",
  { timeout: HEAVY ? 900_000 : 60_000 },
  () => {
    let play: Playground;
    let root: Root;
    beforeEach(() => {
      play = playground();
      play.file("a/d/f.txt", "inside");
      play.file("f", "inside");
      play.file("$OUT/f.txt", "SECRET");
      play.file("$OUT/marker.txt");
      play.link("$OUT", "a/e");
      play.link("$OUT/f.txt", "l");
      root = play.root();
    });
    afterEach(() => play.remove());
    afterAll(() => {
      removeAttacker();
      if (HEAVY) report();
    });

    const directories = (): [string, string] => [join(play.ws, "a/d"), join(play.ws, "a/e")];
    const leaves = (): [string, string] => [join(play.ws, "f"), join(play.ws, "l")];

    it("reads below a swapped directory stay inside", async () => {
      survived(
        "read, directory swapped",
        await race({ swap: directories(), attempts: READS, attempt: () => readsSecret("a/d/f.txt") }),
      );
    });

    it("reads by canonical path below a swapped directory stay inside", async () => {
      const tally = await race({
        swap: directories(),
        attempts: READS,
        attempt: () => opensSecret("a/d/f.txt" as Path),
      });
      survived("open by canonical path, directory swapped", tally);
    });

    it("reads of a swapped file stay inside", async () => {
      survived("read, file swapped", await race({ swap: leaves(), attempts: READS, attempt: () => readsSecret("f") }));
    });

    it("listings of a swapped directory stay inside", async () => {
      const tally = await race({
        swap: directories(),
        attempts: WRITES,
        attempt: () => [...listDirectory(root, "a/d" as Path)].some((entry) => entry.name === "marker.txt"),
      });
      survived("list, directory swapped", tally);
    });

    it("a FIFO in the place of a file never holds us up", async () => {
      play.fifo("p");
      const swap: [string, string] = [join(play.ws, "f"), join(play.ws, "p")];
      survived("read, file swapped for a FIFO", await race({ swap, attempts: READS, attempt: () => readsSecret("f") }));
    });

    it("writes below a swapped directory stay inside", async () => {
      const tally = await race({
        swap: directories(),
        attempts: WRITES,
        attempt(count) {
          const { path } = resolve(root, `a/d/new${count % 50}.txt`);
          write(path, false);
          return readdirSync(play.out).length > 2;
        },
      });
      survived("write, directory swapped", tally);
    });

    it("writes by canonical path below a swapped directory stay inside", async () => {
      const tally = await race({
        swap: directories(),
        attempts: WRITES,
        attempt(count) {
          write(`a/d/new${count % 50}.txt` as Path, false);
          return readdirSync(play.out).length > 2;
        },
      });
      survived("write by canonical path, directory swapped", tally);
    });

    it("directories made below a swapped one stay inside", async () => {
      symlinkSync(play.out, join(play.ws, "s"));
      const moving = openRoot(join(play.ws, "a"));
      const tally = await race({
        swap: [join(play.ws, "a"), join(play.ws, "s")],
        attempts: WRITES,
        attempt(count) {
          write(`a/b${count % 20}/c/x` as Path, true);
          if (count % 20 === 0) {
            for (let i = 0; i < 20; i++) rmSync(moving.dir.at(`b${i}`), { recursive: true, force: true });
          }
          return readdirSync(play.out).length > 2;
        },
      });
      survived("make directories, grandparent swapped", tally);
      moving.close();
    });

    it("the same holds against an attacker that is a Node process", async () => {
      const tally = await race({
        swap: directories(),
        attempts: READS,
        attacker: "node",
        attempt: () => readsSecret("a/d/f.txt"),
      });
      survived("read, directory swapped by Node", tally);
    });

    it.skipIf(!hasCompiler() || availableParallelism() < 2)(
      "this attacker gets past a check of the real path before opening",
      async () => {
        const tally = await race({
          swap: directories(),
          attempts: HEAVY ? READS : 200_000,
          until: HEAVY ? READS : 1,
          attempt() {
            const path = join(play.ws, "a/d/f.txt");
            const real = realpathSync.native(path);
            if (!real.startsWith(`${play.ws}/`)) throw new Refusal("outside_workspace", "checked");
            return readFileSync(path, "utf8") === "SECRET";
          },
        });
        tallies.push(["for comparison: realpath, then open", tally]);
        expect(tally.escapes).toBeGreaterThan(0);
      },
    );

    function survived(what: string, tally: Tally): void {
      tallies.push([what, tally]);
      expect(tally.escapes).toBe(0);
      expect(readdirSync(play.out).sort()).toEqual(["f.txt", "marker.txt"]);
      expect(readFileSync(join(play.out, "f.txt"), "utf8")).toBe("SECRET");
      expect(tally.swaps).toBeGreaterThan(1);
      expect(tally.ok, "some calls must succeed, or the test shows nothing").toBeGreaterThan(0);
    }

    function readsSecret(raw: string): boolean {
      return opensSecret(resolve(root, raw).path);
    }

    function opensSecret(path: Path): boolean {
      const file = openRegular(root, path);
      if (file === null) throw new Refusal("not_found", "gone for a moment");
      try {
        return readFileSync(file.fd, "utf8") === "SECRET";
      } finally {
        closeSync(file.fd);
      }
    }

    /** As commit does it: a new file beside the target, then renamed into its place. */
    function write(path: Path, createParents: boolean): void {
      withParent(root, path, { createParents }, (dir, name) => {
        const fd = openSync(dir.at(".new"), CREATE_ONLY, 0o600);
        writeSync(fd, "written");
        closeSync(fd);
        renameSync(dir.at(".new"), dir.at(name));
      });
    }
  },
);

function report(): void {
  const rows = tallies.map(([what, tally]) => {
    const refused = Object.entries(tally.refused).map(([kind, count]) => `${kind} ${count}`);
    return {
      what,
      attempts: tally.attempts,
      ok: tally.ok,
      escapes: tally.escapes,
      swaps: tally.swaps,
      refused: refused.join(", "),
    };
  });
  console.table(rows);
  const ours = tallies.filter(([what]) => !what.startsWith("for comparison")).map(([, tally]) => tally);
  const sum = (pick: (tally: Tally) => number) => ours.reduce((total, tally) => total + pick(tally), 0);
  console.log(`operations ${sum((t) => t.attempts)}, escapes ${sum((t) => t.escapes)}`);
}
