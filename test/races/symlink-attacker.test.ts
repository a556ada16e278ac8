// Reads and changes while another process swaps directories and files for links: nothing gets out. STET_HEAVY=1 for the long run.
import { existsSync, readdirSync, readFileSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { type Path, Refusal, type Session, type Workspace } from "stet";
import { afterAll, afterEach, beforeEach, describe, expect, it } from "vitest";
import { textAt } from "../support/assertions.ts";
import { type Playground, playground } from "../support/playground.ts";
import { HEAVY } from "../support/processes.ts";
import { workspaceIn } from "../support/workspace.ts";
import { hasCompiler, type Race, race, removeAttacker, type Tally } from "./symlink-attacker.ts";

const READS = HEAVY ? 60_000 : 300;
const CHANGES = HEAVY ? 10_000 : 60;

describe.skipIf(process.platform !== "linux")(
  "under a swapping attacker",
  { timeout: HEAVY ? 900_000 : 60_000 },
  () => {
    let play: Playground;
    let workspace: Workspace;
    let session: Session;
    beforeEach(() => {
      play = playground();
      play.file("a/d/f.txt", "inside\n");
      play.file("f", "inside\n");
      play.file("$OUT/f.txt", "SECRET\n");
      play.file("$OUT/marker.txt");
      play.link("$OUT", "a/e");
      play.link("$OUT/f.txt", "l");
      workspace = workspaceIn(play.ws);
      session = workspace.session();
    });
    afterEach(async () => {
      await workspace.close();
      play.remove();
    });
    afterAll(removeAttacker);

    const directories = (): [string, string] => [join(play.ws, "a/d"), join(play.ws, "a/e")];
    const files = (): [string, string] => [join(play.ws, "f"), join(play.ws, "l")];
    const readsSecret = async (raw: string) => (await session.read(raw)).body.includes("SECRET");

    it("reads below a swapped directory stay inside", () =>
      survives({ swap: directories(), attempts: READS, attempt: () => readsSecret("a/d/f.txt") }));

    it("reads by canonical path below a swapped directory stay inside", () =>
      survives({
        swap: directories(),
        attempts: READS,
        attempt: async () => (await textAt(workspace.backend, "a/d/f.txt")) === "SECRET\n",
      }));

    it("reads of a swapped file stay inside", () =>
      survives({ swap: files(), attempts: READS, attempt: () => readsSecret("f") }));

    it("the same holds against an attacker that is a Node process", () =>
      survives({ swap: files(), attempts: READS, attacker: "node", attempt: () => readsSecret("f") }));

    it("a FIFO in the place of a file never holds us up", () => {
      play.fifo("p");
      const swap: [string, string] = [join(play.ws, "f"), join(play.ws, "p")];
      return survives({ swap, attempts: READS, attempt: () => readsSecret("f") });
    });

    it("listings of a swapped directory stay inside", () =>
      survives({
        swap: directories(),
        attempts: READS,
        async attempt() {
          for await (const { name } of workspace.backend.list("a/d" as Path)) if (name === "marker.txt") return true;
          return false;
        },
      }));

    it("changes below a swapped directory stay inside", async () => {
      await survives({
        swap: directories(),
        attempts: CHANGES,
        async attempt(n) {
          if (n % 2 === 0) await session.create(`a/d/new${n}/x.txt`, "x\n", { createParents: true });
          else await session.edit("a/d/f.txt", () => [{ start: 0, end: 0, text: "x" }], { proof: { by: "waived" } });
          return existsSync(join(play.out, `new${n}`));
        },
      });
      expect((await workspace.verify()).problems).toEqual([]);
    });

    it.skipIf(!HEAVY || !hasCompiler())("this attacker gets past a check of the real path before opening", async () => {
      const { escapes } = await race({
        swap: directories(),
        attempts: READS,
        attempt() {
          const path = join(play.ws, "a/d/f.txt");
          if (!realpathSync.native(path).startsWith(`${play.ws}/`)) throw new Refusal("outside_workspace", "checked");
          return readFileSync(path, "utf8").includes("SECRET");
        },
      });
      expect(escapes).toBeGreaterThan(0);
    });

    async function survives(given: Race): Promise<void> {
      const tally: Tally = await race(given);
      if (HEAVY) console.log(expect.getState().currentTestName, tally);
      expect(tally.escapes).toBe(0);
      expect(readdirSync(play.out).sort()).toEqual(["f.txt", "marker.txt"]);
      expect(readFileSync(join(play.out, "f.txt"), "utf8")).toBe("SECRET\n");
      expect(tally.swaps).toBeGreaterThan(1);
      expect(tally.ok, "some calls must succeed, or the test shows nothing").toBeGreaterThan(0);
    }
  },
);
