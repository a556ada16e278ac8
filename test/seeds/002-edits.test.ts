// Seed 002, Edit: what is found although it is not there to the letter, and how new text is indented.
import { compact } from "stet/surfaces";
import { describe, expect, it } from "vitest";
import { agentWith } from "../support/agent.ts";

const CODE = `function area(width, height) {
    const product = width * height;
    return product;
}

function volume(width, height, depth) {
    const product = width * height * depth;
    return product;
}
`;

describe("seed 002: Edit", () => {
  it("fuzzy matching does not take one function for another", async () => {
    const users = "def get_user(session, name):\n    return session.query(User).filter_by(name=name).one()\n";
    const { done, refused, content } = agentWith(compact, { a: users });
    await done("Read", { file_path: "a" });
    const old_string = users.replace("get_user", "del_user");
    await refused("Edit", { file_path: "a", old_string, new_string: "pass\n" });
    expect(await content("a")).toBe(users);
  });

  it("an inexact match keeps what stands before and behind it on its lines", async () => {
    const { done, content } = agentWith(compact, { a: "x = call(foo(bar))  \nnext_line = 1\n" });
    await done("Read", { file_path: "a" });
    await done("Edit", { file_path: "a", old_string: "bar))\nnext_line", new_string: "baz))\nlast_line" });
    expect(await content("a")).toMatch(/^x = call\(foo\(baz\)\) *\nlast_line = 1\n$/);
  });
});

describe("seed 002: hidden parameters of Edit", () => {
  it("replace_all replaces every occurrence, also of an inexact match", async () => {
    const { done, content } = agentWith(compact, { a: "x = 1\ny = 2\nx = 1\n", b: "call( one )\ncall( one )\n" });
    const { data } = await done("Edit", {
      file_path: "a",
      old_string: "x = 1",
      new_string: "x = 3",
      replace_all: true,
    });
    expect(data.metadata).toMatchObject({ occurrences: 2, insertions: 2, deletions: 2 });
    expect(await content("a")).toBe("x = 3\ny = 2\nx = 3\n");
    await done("Read", { file_path: "b" });
    await done("Edit", { file_path: "b", old_string: "call(  one  )", new_string: "call(  two  )", replace_all: true });
    expect(await content("b")).not.toContain("one");
  });

  it("max_suggestions limits the closest places", async () => {
    const { refused } = agentWith(compact, { a: Array.from({ length: 30 }, (_, n) => `line ${n + 1}\n`).join("") });
    for (const [given, most] of [
      [undefined, 3],
      [1, 1],
      [0, 0],
    ] as const) {
      const failure = await refused("Edit", {
        file_path: "a",
        old_string: "line 1x7",
        new_string: "y",
        max_suggestions: given,
      });
      expect(failure.details?.closest_matches).toHaveLength(most);
    }
  });
});

describe("seed 002: failures of Edit", () => {
  it("an inexact match must be unique, too", async () => {
    const { done, refused } = agentWith(compact, { a: CODE });
    await done("Read", { file_path: "a" });
    const failure = await refused("Edit", { file_path: "a", old_string: "return   product;", new_string: "return 0;" });
    expect(failure.details).toMatchObject({ occurrences_count: 2, strategy: "whitespace_collapse" });
  });
});

describe("seed 002: a file that changed since it was read", () => {
  const TEXT = "def one():\n    return 1\n\n\ndef two():\n    return 2\n";
  async function changed(options = {}) {
    const agent = agentWith(compact, { a: TEXT }, options);
    await agent.done("Read", { file_path: "a" });
    await agent.theyWrite("a", `# new first line\n${TEXT}`);
    return agent;
  }

  it("takes no insertion by line number", async () => {
    const { refused } = await changed();
    const failure = await refused("Edit", { file_path: "a", insert_at_line: 2, new_string: "x\n" });
    expect(failure).toMatchObject({
      kind: "stale_file",
      message: expect.stringContaining("line numbers may have moved"),
    });
  });

  it("strict with rebase: an edit is made to the version that was read, and merged", async () => {
    const { done } = await changed({ strict: true, onStale: "rebase" });
    const loose = { file_path: "a", old_string: "def one():  \n    return 1", new_string: "def one():\n    return 7" };
    await done("Edit", loose);
    const { warnings } = await done("Edit", { file_path: "a", old_string: "return 2", new_string: "return 3" });
    expect(warnings[0]).toContain("applied to the newer version");
  });
});

describe("seed 002: short old_string", () => {
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
  ])("%s is refused", async (_what, before, old_string, kind) => {
    const { done, refused, content } = agentWith(compact, { a: before });
    await done("Read", { file_path: "a" });
    expect((await refused("Edit", { file_path: "a", old_string, new_string: "NEW" })).kind).toBe(kind);
    expect(await content("a")).toBe(before);
  });

  it.each([
    ["ab = 12\nc\n", "ab  =  12"],
    ["x = 1\n", "x  = 1"],
    ["a b\nc\n", "a  b"],
    ["if x:\n", "if\tx"],
  ])("whitespace collapse holds for short texts, when unique: %j by %j", async (before, old_string) => {
    const { done, content } = agentWith(compact, { a: before });
    await done("Read", { file_path: "a" });
    const { data } = await done("Edit", { file_path: "a", old_string, new_string: "NEW" });
    expect(data.metadata.strategy).toBe("whitespace_collapse");
    expect(await content("a")).toBe(before.replace(/^.*?(?=:?\n)/, "NEW"));
  });

  it("long enough and unique, it is found, and said", async () => {
    const { done, content } = agentWith(compact, { a: "const total = 1;\nx\n" });
    await done("Read", { file_path: "a" });
    const edit = { file_path: "a", old_string: "const  total  =  1;", new_string: "const total = 2;" };
    const { data, warnings } = await done("Edit", edit);
    expect(data.metadata.strategy).toBe("whitespace_collapse");
    expect(warnings).toEqual([expect.stringContaining("did not match to the letter")]);
    expect(await content("a")).toBe("const total = 2;\nx\n");
  });
});

const PYTHON = `class Shop:
    def total(self, rows):
        result = 0
        for row in rows:
            if row.paid:
                result += row.price
        return result
`;
const SCRIPT = `class Shop {
    total(rows) {
        let result = 0;
        for (const row of rows) {
            result += row.price;
        }
        return result;
    }
}
`;
const lines = (text: string, from: number, to: number): string => `${text.split("\n").slice(from, to).join("\n")}\n`;
const flat = (text: string): string => text.replaceAll(/^ +/gm, "");

describe("seed 002: indentation", () => {
  const edited = async (before: string, old_string: string, new_string: string) => {
    const { done, content } = agentWith(compact, { a: before });
    await done("Read", { file_path: "a" });
    const { data } = await done("Edit", { file_path: "a", old_string, new_string });
    expect(data.metadata.strategy).toBe("indentation");
    return content("a");
  };

  it("a two-space block at column 0 matches its four-space original deeper in the file", async () => {
    const old = "for row in rows:\n  if row.paid:\n    result += row.price\nreturn result\n";
    const next = old.replace("    result", "    if row.price:\n      count += 1\n    result");
    expect(await edited(PYTHON, old, next)).toBe(
      PYTHON.replace(
        "                result +=",
        "                if row.price:\n                    count += 1\n                result +=",
      ),
    );
  });

  it("the new text is re-indented by the file's own unit, also where the old text has one level", async () => {
    const old = "result = 0\nfor row in rows:\n";
    const next = "result = 0\nif not rows:\n  return None\nfor row in rows:\n";
    expect(await edited(PYTHON, old, next)).toBe(
      PYTHON.replace("        for", "        if not rows:\n            return None\n        for"),
    );
  });

  it("a flattened block matches; lines that are in both keep the file's indentation", async () => {
    const old = flat(lines(PYTHON, 1, 7));
    expect(await edited(PYTHON, old, old.replace("row.price", "row.net"))).toBe(PYTHON.replace("row.price", "row.net"));
  });

  it("flattened: a new line is refused, also where brackets would tell its level", async () => {
    const { done, refused, content } = agentWith(compact, { a: SCRIPT });
    await done("Read", { file_path: "a" });
    const old_string = flat(lines(SCRIPT, 1, 8));
    const new_string = old_string.replace("row.price;\n", "row.price;\ncount++;\n");
    const failure = await refused("Edit", { file_path: "a", old_string, new_string });
    expect(failure.kind).toBe("indent_inconsistent");
    expect(await content("a")).toBe(SCRIPT);
  });

  it("flattened: a new line whose level cannot be known is refused", async () => {
    const { done, refused, content } = agentWith(compact, { a: PYTHON });
    await done("Read", { file_path: "a" });
    const old_string = flat(lines(PYTHON, 1, 7));
    for (const added of ["count += 1\n", "if count:\ncount += 1\n"]) {
      const new_string = old_string.replace("return result", `${added}return result`);
      const failure = await refused("Edit", { file_path: "a", old_string, new_string });
      expect(failure.kind).toBe("indent_inconsistent");
    }
    expect(await content("a")).toBe(PYTHON);
  });

  it("flattened: refused where two places have these lines", async () => {
    const other = SCRIPT.replace("class Shop", "class Till").replaceAll(/^ {4}/gm, "  ");
    const { done, refused } = agentWith(compact, { a: SCRIPT + other });
    await done("Read", { file_path: "a" });
    const old_string = flat(lines(SCRIPT, 1, 8));
    const failure = await refused("Edit", { file_path: "a", old_string, new_string: old_string.replace("0;", "1;") });
    expect(failure.kind).toBe("multiple_matches");
  });
});
