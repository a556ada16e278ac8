// Seed 002, Edit: whitespace collapse holds for short texts, too, when they are unique; nothing else does for them.
import { describe, expect, it } from "vitest";
import { textAt } from "../../src/testing/assertions.ts";
import { BACKENDS } from "../support/workspace.ts";
import { opened } from "./002-calling.ts";

describe.each(BACKENDS)("seed 002: short old_string on %s", (_name, make) => {
  it.each([
    ["short, and there twice but for blanks", "x = 1\nx = 1\n", "x  = 1", "multiple_matches"],
    ["the start of a longer number", "x = 10\n", "x  = 1", "mid_token"],
    ["a part of a longer word", "returned value\n", "return  ", "old_text_not_found"],
    ["one token on a line of its own, elsewhere indented", "    }\n  x\n", "}  \n", "old_text_not_found"],
    [
      "a longer text that is there twice",
      "const total = 1;\nconst total = 1;\n",
      "const  total = 1;",
      "multiple_matches",
    ],
    ["short, with other letters", "if x:\n", "if  y", "old_text_not_found"],
  ])("%s is refused", async (_what, content, old_string, kind) => {
    const { ok, refused, workspace } = opened(make, { a: content });
    await ok("Read", { file_path: "a" });
    expect((await refused("Edit", { file_path: "a", old_string, new_string: "NEW" })).kind).toBe(kind);
    expect(await textAt(workspace.backend, "a")).toBe(content);
  });

  it.each([
    ["ab = 12\nc\n", "ab  =  12"],
    ["x = 1\n", "x  = 1"],
    ["a b\nc\n", "a  b"],
    ["if x:\n", "if\tx"],
  ])("whitespace collapse holds for short texts, when unique: %j by %j", async (content, old_string) => {
    const { ok, workspace } = opened(make, { a: content });
    await ok("Read", { file_path: "a" });
    const { data } = await ok("Edit", { file_path: "a", old_string, new_string: "NEW" });
    expect(data.metadata.strategy).toBe("whitespace_collapse");
    expect(await textAt(workspace.backend, "a")).toBe(content.replace(/^.*?(?=:?\n)/, "NEW"));
  });

  it("long enough and unique, it is found, and said", async () => {
    const { ok, workspace } = opened(make, { a: "const total = 1;\nx\n" });
    await ok("Read", { file_path: "a" });
    const edit = { file_path: "a", old_string: "const  total  =  1;", new_string: "const total = 2;" };
    const { data, warnings } = await ok("Edit", edit);
    expect(data.metadata.strategy).toBe("whitespace_collapse");
    expect(warnings).toEqual([expect.stringContaining("did not match to the letter")]);
    expect(await textAt(workspace.backend, "a")).toBe("const total = 2;\nx\n");
  });
});
