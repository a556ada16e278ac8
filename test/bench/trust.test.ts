// The trust table holds for every surface: nothing wrong, nothing lost. (The slow cases have tests of their own.)
import { describe, expect, it } from "vitest";
import { HEAVY } from "../support/processes.ts";

const SURFACES = ["workspace", "tracked", "compact", "files", "anchors"];
const SLOW = ["increments", "kill-write", "kill-patch", "symlink-race"];
const { cases, runTrust } = (await import("../../bench/trust/run.mjs" as string)) as {
  cases: readonly { readonly id: string }[];
  runTrust(options: object): Promise<readonly Report[]>;
};

interface Report {
  readonly tool: string;
  readonly skipped?: string;
  readonly rows: readonly { readonly case: string; readonly verdict: string; readonly note: string }[];
}

describe("the trust table", () => {
  const quick = cases.map(({ id }) => id).filter((id) => !SLOW.includes(id));

  it.each(SURFACES)("stet %s: no wrong, no lost", async (surface) => {
    // A fifth of the cases for each surface, another one each; heavy runs take all.
    const some = quick.filter((_, n) => HEAVY || n % SURFACES.length === SURFACES.indexOf(surface));
    const [report] = await runTrust({ only: [`stet ${surface}`], cases: ["crlf-one-line", ...some] });
    expect(report?.skipped).toBeUndefined();
    expect(report?.rows.map((row) => row.case)).toEqual(expect.arrayContaining(some));
    expect(report?.rows.filter(({ verdict }) => verdict === "wrong" || verdict === "lost")).toEqual([]);
    expect(report?.rows.find((row) => row.case === "crlf-one-line")?.verdict).toBe("right");
  });
});
