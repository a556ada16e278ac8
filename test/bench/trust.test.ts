// The trust table holds for every surface: nothing wrong, nothing lost. (The slow cases have tests of their own.)
import { describe, expect, it } from "vitest";

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

  it.each(["workspace", "tracked", "compact", "files", "anchors"])("stet %s: no wrong, no lost", async (surface) => {
    const [report] = await runTrust({ only: [`stet ${surface}`], cases: quick });
    expect(report?.skipped).toBeUndefined();
    expect(report?.rows.map((row) => row.case)).toEqual(quick);
    expect(report?.rows.filter(({ verdict }) => verdict === "wrong" || verdict === "lost")).toEqual([]);
    expect(report?.rows.find((row) => row.case === "crlf-one-line")?.verdict).toBe("right");
  });
});
