// What history makes of large texts is made apart: the event loop goes on turning. The built package, since only there another process works.
import { expect, it } from "vitest";
import { directoryWith } from "../support/workspace.ts";

const LINES = 100_000;

const built = (path: string) => import(new URL(`../../dist/${path}`, import.meta.url).href);

/** Every thousandth line is another one each time. */
function textOf(at: number, n: number): string {
  return `${Array.from({ length: LINES }, (_, line) => (line % 1000 === at ? n : "x")).join("\n")}\n`;
}

it("the sum of interleaved changes of a large file leaves time for others", { timeout: 120_000 }, async () => {
  const { openWorkspace, netChanges } = await built("index.js");
  const workspace = openWorkspace({ root: directoryWith({}), durability: "fast" });
  const [one, other] = ["one", "other"].map((agent) => workspace.session({ agent }));
  await one.create("a.txt", textOf(0, 1));
  const waived = { proof: { by: "waived" } };
  await other.write("a.txt", textOf(500, 2), waived);
  await one.write("a.txt", textOf(0, 3), waived);
  const steps = await stepsWhile(() => netChanges(workspace, { agent: "one" }));
  const here = await stepsWhile(async () => merged());
  await workspace.close();
  expect(steps).toBeGreaterThan(here + 8);

  /** The same work, done here. */
  async function merged(): Promise<void> {
    const { merge3 } = await built("edit/index.js");
    merge3(textOf(500, 2), textOf(0, 1), textOf(0, 3));
  }
});

/** How often the event loop turned meanwhile. */
async function stepsWhile(work: () => Promise<unknown>): Promise<number> {
  let steps = 0;
  let goesOn = true;
  const count = (): void => {
    steps += 1;
    if (goesOn) setTimeout(count, 1);
  };
  count();
  await work();
  goesOn = false;
  return steps;
}
