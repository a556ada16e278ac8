// The whole way, from session to disk, while another process swaps a directory for a link to the outside.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeEach, describe, expect, it } from "vitest";
import { disk } from "../../src/backends/disk/index.ts";
import { createFile, editFile } from "../../src/kernel/verbs.ts";
import { Workspace } from "../../src/kernel/workspace.ts";
import { type Playground, playground } from "../backends/disk-playground.ts";
import { HEAVY } from "../support/processes.ts";
import { race, removeAttacker } from "./symlink-attacker.ts";

const ATTEMPTS = HEAVY ? 10_000 : 400;

describe.skipIf(process.platform !== "linux")(
  "sessions under a swapping attacker",
  { timeout: HEAVY ? 900_000 : 60_000 },
  () => {
    let play: Playground;
    let workspace: Workspace;
    beforeEach(() => {
      play = playground();
      play.file("a/d/f.txt", "inside\n");
      play.file("$OUT/f.txt", "SECRET\n");
      play.link("$OUT", "a/e");
      workspace = new Workspace(disk({ root: play.ws, durability: "fast" }));
    });
    afterEach(async () => {
      await workspace.close();
      play.remove();
    });
    afterAll(removeAttacker);

    const attack = (attempt: (n: number) => Promise<boolean>) =>
      race({ swap: [join(play.ws, "a/d"), join(play.ws, "a/e")], attempts: ATTEMPTS, attempt });

    it("no read shows what is outside", async () => {
      const session = workspace.session();
      const tally = await attack(async () => (await session.read("a/d/f.txt")).body.includes("SECRET"));
      expect(tally.escapes).toBe(0);
      expect(tally.ok).toBeGreaterThan(0);
    });

    it("no change reaches what is outside", async () => {
      const session = workspace.session();
      let n = 0;
      const tally = await attack(async () => {
        n++;
        if (n % 2 === 0) await createFile(session, `a/d/new${n}/x.txt`, "x\n", { createParents: true });
        else await editFile(session, "a/d/f.txt", () => [{ start: 0, end: 0, text: "x" }], { proof: { by: "waived" } });
        return existsSync(join(play.out, `new${n}`));
      });
      expect(tally.escapes).toBe(0);
      expect(readdirSync(play.out)).toEqual(["f.txt"]);
      expect(readFileSync(join(play.out, "f.txt"), "utf8")).toBe("SECRET\n");
      expect((await workspace.verify()).problems).toEqual([]);
    });
  },
);
