import { replaceText } from "stet/edit";
import { describe, expect, it } from "vitest";

function outcome(text: string, oldText: string, newText: string, options = {}): string {
  const result = replaceText(text, oldText, newText, options);
  return result.ok ? `${result.strategy}: ${result.text}` : result.kind;
}

describe("a \\n that is meant stays one", () => {
  it("only quotes and backslashes are unescaped where newlines are not escaped", () => {
    expect(outcome('log("a");\nrest();\n', 'log(\\"a\\");', "log(\\`b\\n\\`);")).toBe(
      "escaping: log(`b\\n`);\nrest();\n",
    );
    expect(outcome('log("a");\n', 'log(\\"a\\");', 'log(\\"b\\\\c\\td\\");')).toBe('escaping: log("b\\c\\td");\n');
  });
});

describe("a line that changes must be given as the file has it", () => {
  it.each([
    ["no-break space", 'label = "10\u00a0km";\nnext();\n', 'label = "10 km";', 'title = "10 km";'],
    ["double space", 'label = "a  b";\nnext();\n', 'label = "a b";', 'title = "a b";'],
    ["en dash", 'label = "1–2 days";\nnext();\n', 'label = "1-2 days";', 'title = "1-2 days";'],
    ["indented", '    label = "1–2 days";\n', '\tlabel = "1-2 days";', '\ttitle = "1-2 days";'],
    [
      "within a gap",
      'first();\n\nlabel = "1–2 days";\nthird();\n',
      'first();\nlabel = "1-2 days";\nthird();',
      'first();\ntitle = "1-2 days";\nthird();',
    ],
    [
      "elision",
      'first(1);\nsecond(2);\nlabel = "1–2 days";\n',
      'first(1);\n...\nlabel = "1-2 days";',
      'first(1);\n...\ntitle = "1-2 days";',
    ],
  ])("%s", (_, text, oldText, newText) => {
    expect(outcome(text, oldText, newText)).toBe("merge_conflict");
  });

  it("blanks between words are not part of what a line says", () => {
    expect(outcome("const x    = 1;\n", "const x = 1;", "const y = 1;")).toBe("whitespace_collapse: const y = 1;\n");
  });

  it("a line that stays keeps its bytes, one that goes needs none", () => {
    const text = 'label = "1–2 days";\nnext();\n';
    expect(outcome(text, 'label = "1-2 days";\nnext();', 'label = "1-2 days";\nlast();')).toBe(
      'unicode: label = "1–2 days";\nlast();\n',
    );
    expect(outcome(text, 'label = "1-2 days";\nnext();', "next();")).toBe("unicode: next();\n");
  });
});

describe("words that several lines end in, blanks aside", () => {
  it.each([
    ["a hyphen", "color:  red;\nmargin-top: 1;\n", "color: red;\nmargin"],
    ["a hyphen cut after", "color:  red;\nmargin-top: 1;\n", "color: red;\nmargin-"],
    ["a dollar", "first( 1 );\nlet  user$name = 1;\n", "first( 1 );\nlet user"],
    ["an at sign", "first( 1 );\nmail  user@host\n", "first( 1 );\nmail user"],
    ["a decimal point", "first();\nversion  = 1.5\n", "first();\nversion = 1"],
    ["the start", "first-name  = 1\nsecond();\n", "name = 1\nsecond();"],
  ])("%s", (_, text, oldText) => {
    expect(outcome(text, oldText, "x")).toBe("mid_token");
  });

  it("a member access or an arrow is a word's end", () => {
    expect(outcome("first(  1 );\nuser.name();\n", "first( 1 );\nuser", "x")).toBe("whitespace_collapse: x.name();\n");
    expect(outcome("first(  1 );\nuser->name();\n", "first( 1 );\nuser", "x")).toBe(
      "whitespace_collapse: x->name();\n",
    );
  });
});

describe("a byte order mark", () => {
  it("is no part of the first line", () => {
    expect(outcome("\ufefffirst line\nsecond\n", "first line  \nsecond", "1st line  \nsecond")).toBe(
      "trailing_whitespace: \ufeff1st line  \nsecond\n",
    );
    expect(outcome("\ufeff  one();\n  two();\n", "one();\ntwo();", "one();\n2();")).toBe(
      "indentation: \ufeff  one();\n  2();\n",
    );
  });

  it("may be given in old and new text, and be taken away", () => {
    expect(outcome("\ufeffone();\n", "\ufeffone();", "\ufefftwo();")).toBe("exact: \ufefftwo();\n");
    expect(outcome("\ufeffone();\n", "\ufeffone();", "two();")).toBe("exact: two();\n");
  });
});

describe("bytes of line endings and characters", () => {
  it("line endings that are all an edit changes are changed", () => {
    expect(outcome("a\r\n  b\r\nc\r\n", "a\r\n  b", "a\n  b")).toBe("exact: a\n  b\r\nc\r\n");
    expect(outcome("a\r\n  b\r\nc\r\n", " b\r\nc\r\n", " b\nc\n")).toBe("exact: a\r\n  b\nc\n");
    expect(outcome("a\r\nb\nc\n", "\n", "\r\n", { replaceAll: true })).toBe("exact: a\r\nb\r\nc\r\n");
    expect(outcome("a\r\nb\r\n", "\r\n", "\n")).toBe("multiple_matches");
  });

  it("a rewritten line keeps its own ending", () => {
    expect(outcome("a\r\nb\nc\r\n", "a\nb\nc", "a\nB\nc")).toBe("line_endings: a\r\nB\nc\r\n");
    expect(outcome("a\r\nb\nc\r\n", "a\nb\nc", "a\nB\nnew\nc")).toBe("line_endings: a\r\nB\nnew\nc\r\n");
  });

  it("a CR given alone is that CR, and no part of a CRLF", () => {
    expect(outcome("foo\r\nbar\r\n", "foo\r", "baz\r")).toBe("old_text_not_found");
    expect(outcome("foo\rbar\r", "foo\r", "baz\r")).toBe("exact: baz\rbar\r");
  });

  it.each([
    ["first", "\ud83d"],
    ["second", "\ude00"],
  ])("the %s half of a character is no text", (_, half) => {
    expect(outcome("say 😀 now\n", half, "x")).toBe("mid_token");
  });
});
