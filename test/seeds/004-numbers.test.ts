// Seed 004: "line numbers serve only as advisory snapshot positions". One that a session was shown before its own edits
// moved lines means the line it was shown for, or the edit is refused.
import { describe, expect, it } from "vitest";
import { BACKENDS } from "../support/workspace.ts";
import { desk, hash, text } from "./004-desk.ts";

const entry = (name: string) => [`[${name}]`, `name = ${name}`, "enabled = yes"];
const NAMES = ["alpha", "beta", "gamma", "delta", "epsilon", "zeta"];
const LINES = NAMES.flatMap(entry);
const YES = hash("enabled = yes");
const first = { op: "insert_before", hash: hash("[alpha]"), content: text(...entry("first")) };
const no = (anchor: object) => ({ op: "replace_line", content: "enabled = no", ...anchor });

describe.each(BACKENDS)("a line number from before the session's own edits, on %s", (_name, make) => {
  async function reading(input: object = {}, before = text(...LINES)) {
    const made = desk(make, { "a.ini": before });
    await made.done("read_file", { path: "a.ini", hashes: true, ...input });
    const edit = (...operations: object[]) => made.done("edit", { path: "a.ini", operations, safety_check: "off" });
    const refusal = (...operations: object[]) => made.refused("edit", { path: "a.ini", operations });
    const lines = async () => (await made.content("a.ini"))!.trimEnd().split("\n");
    return { ...made, edit, refusal, lines };
  }

  it.each([[{ hash: `12#${YES}` }], [{ hash: YES, line: 12 }]])("%j means the line that had it", async (anchor) => {
    const { edit, lines } = await reading();
    await edit(first);
    await edit({ op: "delete_line", hash: hash("name = alpha") });
    const { data } = await edit(no(anchor));
    expect(data.auto_corrections).toMatchObject([{ type: "line_followed_from_seen_version" }]);
    expect(await lines()).toEqual([...entry("first"), ...LINES].toSpliced(4, 1).with(13, "enabled = no"));
  });

  it("so do the ends of a range", async () => {
    const { edit, lines } = await reading();
    await edit(first);
    await edit({ op: "delete_range", start_hash: `12#${YES}`, end_hash: `15#${YES}` });
    expect(await lines()).toEqual([...entry("first"), ...LINES].toSpliced(14, 4));
  });

  it("one that the answer to an edit gave to another such line is refused, also with its occurrence", async () => {
    const { edit, refusal, lines, done } = await reading();
    await edit(first);
    for (const anchor of [{ hash: `3#${YES}` }, { hash: `6#${YES}` }, { hash: YES, line: 3, occurrence: 1 }]) {
      const failure = await refusal(no(anchor));
      expect(failure.details.error).toBe("anchor_stale");
      expect(failure.text).toContain("were both shown as line");
    }
    await done("read_file", { path: "a.ini", hashes: true, limit: 4 });
    await edit(no({ hash: `3#${YES}` }));
    expect((await lines())[2]).toBe("enabled = no");
    expect((await refusal(no({ hash: `6#${YES}` }))).kind).toBe("anchor_stale");
  });

  it("one that was never shown is refused, although a line with this hash has it now", async () => {
    const { edit, refusal } = await reading({ limit: 7 });
    await edit(first);
    for (const line of [12, 15, 18]) expect((await refusal(no({ hash: `${line}#${YES}` }))).kind).toBe("anchor_stale");
  });

  it("one that a refusal listed since is refused where it was shown for another line before", async () => {
    const { edit, refusal } = await reading();
    await edit(first);
    expect((await refusal(no({ hash: YES }))).text).toContain("#3 line 9");
    expect((await refusal(no({ hash: `9#${YES}` }))).text).toContain("lines 9 and 12 were both shown as line 9");
  });

  it("the version that the caller names makes no current number of it", async () => {
    const { edit, refused } = await reading();
    const { data } = await edit(first);
    const named = { path: "a.ini", operations: [no({ hash: `9#${YES}` })], expected_file_version: data.file_version };
    expect((await refused("edit", named)).kind).toBe("anchor_stale");
  });

  it("a whole new text ends it, and gives those that it shows", async () => {
    const { edit, refusal, done, lines } = await reading();
    await done("write_file", { path: "a.ini", content: text(...entry("first"), ...LINES) });
    expect((await refusal(no({ hash: `12#${YES}` }))).kind).toBe("anchor_stale");
    await edit(no({ hash: `9#${YES}` }));
    expect((await lines())[8]).toBe("enabled = no");
  });

  it("the last line without a newline keeps its own when lines are put behind it", async () => {
    const { edit, refusal } = await reading({}, Array(10).fill("same").join("\n"));
    const same = hash("same");
    await edit({ op: "insert_before", hash: `1#${same}`, content: "new" });
    await edit({ op: "insert_after", hash: `10#${same}`, content: "end" });
    expect((await refusal({ op: "delete_line", hash: `10#${same}` })).text).toContain("10 and 11 were both shown");
  });

  it("one of a line that the session deleted does not mean the only other line that reads the same", async () => {
    const { edit, refusal, lines } = await reading({}, text("one", "log()", "two", "log()", "three"));
    const twice = { op: "delete_line", hash: `2#${hash("log()")}` };
    await edit(twice);
    expect((await refusal(twice)).text).toContain("ine 3, which has this hash, was shown to you as 4 and 3, not as 2");
    expect(await lines()).toEqual(["one", "two", "log()", "three"]);
  });

  it("a hash that one line has needs no number, and an old one does no harm", async () => {
    const { edit, lines } = await reading();
    await edit(first);
    await edit({ op: "replace_line", hash: `8#${hash("name = gamma")}`, content: "name = c" });
    await edit({ op: "replace_line", hash: hash("name = delta"), content: "name = d" });
    expect((await lines()).filter((line) => line.length === 8)).toEqual(["name = c", "name = d"]);
  });
});
