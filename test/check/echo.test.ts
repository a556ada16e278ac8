import { checkEdit } from "stet/check";
import { describe, expect, it } from "vitest";

const echoes = async (path: string, before: string[], after: string[]): Promise<string[]> => {
  const warnings = await checkEdit({ path, before: `${before.join("\n")}\n`, after: `${after.join("\n")}\n` });
  return warnings
    .filter((warning) => warning.check === "boundary_echo")
    .map(({ severity, line }) => `${severity} ${line}`);
};

const OLD = ["const first = load();", "const second = parse(first);", "report(second);", "finish(second);"];

describe("boundary echo", () => {
  it("sees a replacement that repeats the line after it", async () => {
    const after = [OLD[0]!, "const second = parse(first, options);", "report(second);", OLD[2]!, OLD[3]!];
    expect(await echoes("a.js", OLD, after)).toEqual(["suspicious 3"]);
  });

  it("sees a replacement that repeats the line before it", async () => {
    const after = [OLD[0]!, OLD[0]!, "const second = parse(first, options);", OLD[2]!, OLD[3]!];
    expect(await echoes("a.txt", OLD, after)).toEqual(["doubtful 2"]);
    expect(await echoes("a.kt", OLD, after)).toEqual(["suspicious 2"]);
  });

  it("sees several repeated lines as one echo", async () => {
    const after = [OLD[0]!, "transform(first);", ...OLD.slice(1, 4), ...OLD.slice(1, 4)];
    const [warning] = await checkEdit({ path: "a.kt", before: OLD.join("\n"), after: after.join("\n") });
    expect(warning).toMatchObject({ check: "boundary_echo", severity: "suspicious" });
    expect(warning?.message).toMatch(/^lines 3-5 repeat lines 6-8, which were there already/);
    expect(await echoes("a.kt", OLD, after)).toHaveLength(1);
  });

  it("says nothing about lines that often stand twice", async () => {
    for (const line of ["}", "", "  </div>", "end", "break;", "i++;", "0, 0, 0, 0, 0, 0, 0, 0, 0,", "***********"]) {
      expect(await echoes("a.kt", ["start here", line, "stop"], ["start here", line, line, "stop"]), line).toEqual([]);
    }
  });

  it("says nothing about new lines that repeat each other or a line further away", async () => {
    expect(await echoes("a.kt", OLD, [...OLD, "await nextTick();", "await nextTick();"])).toEqual([]);
    expect(await echoes("a.kt", OLD, [OLD[0]!, OLD[2]!, OLD[1]!, OLD[2]!, OLD[3]!])).toEqual([]);
  });

  it("says nothing where a line goes that stood between equal ones", async () => {
    expect(await echoes("a.kt", [OLD[0]!, OLD[1]!, OLD[0]!], [OLD[0]!, OLD[0]!])).toEqual([]);
  });

  it("notes a block that the old text repeats", async () => {
    const block = ["await nextTick();", "expectAll(first);"];
    const old = [...block, ...block, "done(first);"];
    expect(await echoes("a.kt", old, [...block, ...old])).toEqual(["note 5"]);
    expect(
      await echoes("a.kt", [...block, "other(first);", ...block], [...block, "other(first);", ...block, ...block]),
    ).toEqual(["suspicious 6"]);
  });

  it("says nothing about repeats that were there before", async () => {
    const old = ["await nextTick();", "await nextTick();", "done(first);"];
    expect(await echoes("a.kt", old, ["await nextTick();", "await nextTick();", "done(second);"])).toEqual([]);
  });

  it("notes one repeat more where the old text repeats the same lines", async () => {
    const old = ["await nextTick();", "await nextTick();", "done(first);"];
    expect(await echoes("a.kt", old, ["await nextTick();", ...old])).toEqual(["note 3"]);
  });

  it.each(["a.md", "a.csv", "a.yaml", "a.json", "data", "a.txt"])("only doubts it in %s", async (path) => {
    expect(await echoes(path, ["- apples and pears"], ["- apples and pears", "- apples and pears"])).toEqual([
      "doubtful 2",
    ]);
  });

  it("compares whole lines: another indentation is another line", async () => {
    expect(await echoes("a.kt", ["    closeConnection()"], ["    closeConnection()", "  closeConnection()"])).toEqual(
      [],
    );
  });
});
