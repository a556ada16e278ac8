// Seed 004: "line numbers serve only as advisory snapshot positions". One that a session was shown before its own edits
// moved lines is refused beside a hash that several lines have, or had.
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

  it.each([{ hash: `12#${YES}` }, { hash: YES, line: 12 }, { hash: YES, occurrence: 4 }])(
    "%j of a repeated line is refused below an edit that moved lines, until it is read again",
    async (anchor) => {
      const { edit, refusal, done, lines } = await reading();
      await edit(first);
      const failure = await refusal(no(anchor));
      expect(failure.details.error).toBe("anchor_stale");
      expect(failure.text).toContain("your edits have changed lines since you read them");
      await done("read_file", { path: "a.ini", hashes: true, limit: 12 });
      await edit(no(anchor));
      expect((await lines())[11]).toBe("enabled = no");
    },
  );

  it("the ends of a range are refused likewise", async () => {
    const { edit, refusal } = await reading();
    await edit(first);
    const range = { op: "delete_range", start_hash: `12#${YES}`, end_hash: `15#${YES}` };
    expect((await refusal(range)).kind).toBe("anchor_stale");
  });

  it("above that edit, and after edits that move nothing, it counts", async () => {
    const { edit, lines } = await reading();
    await edit({ op: "replace_line", hash: hash("name = alpha"), content: "name = a" });
    await edit({ op: "insert_before", hash: hash("[gamma]"), content: "# new" });
    await edit(no({ hash: `6#${YES}` }));
    await edit(no({ hash: YES, occurrence: 1 }));
    expect((await lines()).flatMap((line, at) => (line === "enabled = no" ? at + 1 : []))).toEqual([3, 6]);
  });

  it("the answer to an edit gives a repeated line its context hash, and says from where numbers are stale", async () => {
    const { edit, lines } = await reading();
    await edit(first);
    const { data } = await edit({ op: "replace_line", hash: hash("name = beta"), content: "name = b" });
    expect(data).toMatchObject({ anchors_valid_through: 0, must_refresh_from_line: 1 });
    const shown = (data.diff_preview as string[]).find((line) => line.startsWith(" 9#"))!;
    await edit(no({ hash: /ctx=(\w+)/.exec(shown)![1]! }));
    expect((await lines())[8]).toBe("enabled = no");
  });

  it("a line that is gone is never taken for its twin, however often the call is made", async () => {
    const twins = text("foo", "a", "b", "x", "foo", "y", "z");
    const foo = hash("foo");
    for (const call of [
      { op: "replace_line", hash: `5#${foo}`, content: "bar" },
      { op: "replace_range", start_hash: `5#${foo}`, end_hash: hash("y"), content: text("bar", "y") },
      { op: "delete_line", hash: `5#${foo}` },
    ]) {
      const { edit, refusal, content } = await reading({}, twins);
      await edit(call);
      const after = await content("a.ini");
      for (const again of [1, 2]) expect((await refusal(call)).kind, `${call.op} ${again}`).toBe("anchor_stale");
      expect(await content("a.ini")).toBe(after);
    }
  });

  it("nor where others took it away", async () => {
    const foo = hash("foo");
    const { refusal, other, content } = await reading({}, text("foo", "a", "b", "x", "foo", "y", "z"));
    const after = text("foo", "a", "b", "x", "y", "z");
    await other("a.ini", after);
    const range = { op: "delete_range", start_hash: `5#${foo}`, end_hash: hash("y") };
    const failure = await refusal(range);
    expect(failure.text).toContain(`line 5 (5#${foo}) is gone since you read it`);
    const fresh = (failure.details.fresh_anchors as string[]).join();
    expect(fresh).toContain(`4#${hash("x")}`);
    expect(fresh).not.toContain(`1#${foo}`);
    expect((await refusal(range)).kind).toBe("anchor_stale");
    expect(await content("a.ini")).toBe(after);
  });

  it("a hash alone means no line that was never shown, and none of several that were", async () => {
    const foo = { op: "delete_line", hash: hash("foo") };
    const { edit, refusal } = await reading({ offset: 3, limit: 3 }, text("foo", "a", "b", "x", "foo", "y", "z"));
    await edit(foo);
    expect((await refusal(foo)).kind).toBe("anchor_stale");
    const both = await reading({}, text("a", "foo", "b", "c", "d", "e", "foo", "g"));
    await both.other("a.ini", text("a", "foo", "b", "c", "D", "e", "foo", "g"));
    await both.done("read_file", { path: "a.ini", hashes: true, offset: 4, limit: 4 });
    expect((await both.refusal(foo)).kind).toBe("anchor_ambiguous");
  });

  it("one that was never shown is refused, although a line with this hash has it now", async () => {
    const { edit, refusal } = await reading({ limit: 7 });
    await edit(first);
    for (const line of [12, 15, 18]) expect((await refusal(no({ hash: `${line}#${YES}` }))).kind).toBe("anchor_stale");
  });

  it("one that a refusal listed since is that of the listed line", async () => {
    const { edit, refusal, lines } = await reading();
    await edit(first);
    expect((await refusal(no({ hash: YES }))).text).toContain("#3 line 9");
    await edit(no({ hash: YES, occurrence: 3 }));
    expect((await lines())[8]).toBe("enabled = no");
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

  it("a hash that one line has needs no number, and an old one does no harm", async () => {
    const { edit, lines } = await reading();
    await edit(first);
    await edit({ op: "replace_line", hash: `8#${hash("name = gamma")}`, content: "name = c" });
    await edit({ op: "replace_line", hash: hash("name = delta"), content: "name = d" });
    expect((await lines()).filter((line) => line.length === 8)).toEqual(["name = c", "name = d"]);
  });
});
