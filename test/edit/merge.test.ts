// Three-way merge on named cases: what merges, what is a conflict, which bytes survive.
import { merge3 } from "stet/edit";
import { describe, expect, test } from "vitest";

const base = "one\ntwo\nthree\nfour\nfive\n";

describe("merge3", () => {
  test("changes at different places are joined; the splices are onto ours", () => {
    expect(merge3(base, base.replace("one", "ONE"), base.replace("five", "FIVE"))).toEqual({
      ok: true,
      text: "ONE\ntwo\nthree\nfour\nFIVE\n",
      splices: [{ start: 19, end: 24, text: "FIVE\n" }],
    });
  });

  test("the same change on both sides is made once", () => {
    const both = base.replace("three", "3");
    expect(merge3(base, both, both.replace("five", "5"))).toMatchObject({ ok: true, text: "one\ntwo\n3\nfour\n5\n" });
    const added = base.replace("two\n", "two\nnew\n");
    expect(merge3(base, added, added)).toMatchObject({ ok: true, text: added });
  });

  test("different changes of a line are a conflict that says where and what", () => {
    expect(merge3(base, `zero\n${base.replace("three", "ours")}`, base.replace("three\n", "theirs\nmore\n"))).toEqual({
      ok: false,
      conflicts: [
        {
          baseStart: 2,
          baseEnd: 3,
          oursStart: 3,
          oursEnd: 4,
          theirsStart: 2,
          theirsEnd: 4,
          base: "three\n",
          ours: "ours\n",
          theirs: "theirs\nmore\n",
        },
      ],
    });
  });

  test("a deletion against an edit, and two insertions at one place, are conflicts", () => {
    expect(merge3(base, base.replace("three\n", ""), base.replace("three", "3")).ok).toBe(false);
    expect(merge3(base, base.replace("two\n", "two\nx\n"), base.replace("two\n", "two\ny\n")).ok).toBe(false);
  });

  test("changes of neighbouring lines touch, and are a conflict", () => {
    const merged = merge3(base, base.replace("two", "2"), base.replace("three", "3"));
    expect(merged).toMatchObject({ ok: false, conflicts: [{ baseStart: 1, baseEnd: 3, base: "two\nthree\n" }] });
    expect(merge3(base, base.replace("two", "2"), base.replace("four", "4")).ok).toBe(true);
  });

  test("all conflicts are told, not the first only", () => {
    const merged = merge3(
      base,
      base.replace("one", "1").replace("five", "5"),
      base.replace("one", "I").replace("five", "V"),
    );
    expect(merged).toMatchObject({ ok: false, conflicts: [{ base: "one\n" }, { base: "five\n" }] });
  });

  test("line ends of untouched lines stay, mixed as they are", () => {
    const mixed = "one\r\ntwo\rthree\nfour\r\nfive";
    expect(merge3(mixed, mixed.replace("one", "1"), mixed.replace("five", "5"))).toMatchObject({
      ok: true,
      text: "1\r\ntwo\rthree\nfour\r\n5",
    });
  });

  test("converting all line ends against an edit is a conflict, not a mixture", () => {
    expect(merge3(base, base.replaceAll("\n", "\r\n"), base.replace("three", "3")).ok).toBe(false);
  });

  test("lines added after an unterminated last line by both sides are a conflict", () => {
    expect(merge3("a\nb", "a\nb\nours", "a\nb\ntheirs").ok).toBe(false);
    expect(merge3("a\nx\nb", "a\nx\nb\nours", "A\nx\nb")).toMatchObject({ ok: true, text: "A\nx\nb\nours" });
  });

  test("one block inserted by both sides is inserted once, whatever else one side did", () => {
    const blocks = "{\na\n}\n{\nb\n}\nend\n";
    const more = blocks.replace("{\nb", "{\nnew\n}\n{\nb");
    expect(merge3(blocks, more, more.replace("end", "END"))).toMatchObject({
      ok: true,
      text: more.replace("end", "END"),
    });
  });

  test("texts of ten thousand lines that repeat", () => {
    const many = Array.from({ length: 10_000 }, (_, i) => `${i % 7}\n`);
    const ours = many.with(100, "ours\n").join("");
    const theirs = many.with(9000, "theirs\n").join("");
    const text = many.with(100, "ours\n").with(9000, "theirs\n").join("");
    expect(merge3(many.join(""), ours, theirs)).toMatchObject({ ok: true, text });
  });

  test("does not lose that one of several equal lines was removed, next to a change of the other side", () => {
    const base = "one\nalpha\nalpha\nlast\n";
    expect(merge3(base, "one\nalpha!\nalpha\nlast\n", "one\nalpha\nlast\n").ok).toBe(false);
    expect(merge3(base, "one\nalpha\nlast\n", "one\nalpha!\nalpha\nlast\n").ok).toBe(false);
    expect(merge3(base, "one!\nalpha\nalpha\nlast\n", "one\nalpha\nalpha\nalpha\nlast\n").ok).toBe(false);
  });

  test("merges lines that come and go among their equals, where the other side is further off", () => {
    const base = "one\ntwo\nalpha\nalpha\nnine\nlast\n";
    const merged = merge3(base, "ONE\ntwo\nalpha\nalpha\nnine\nLAST\n", "one\ntwo\nalpha\nnine\nlast\n");
    expect(merged).toMatchObject({ ok: true, text: "ONE\ntwo\nalpha\nnine\nLAST\n" });
  });

  test("what may touch is joined, and never brings a line twice", () => {
    const added = base.replace("two\n", "two\nnew\n");
    const merged = merge3(base, base.replace("three", "3"), added, true);
    expect(merged).toMatchObject({ ok: true, text: "one\ntwo\nnew\n3\nfour\nfive\n" });
    for (const other of [added.replace("three", "3"), added.replace("two", "2"), base.replace("three", "new")]) {
      expect(merge3(base, other, added, true).ok).toBe(false);
      expect(merge3(base, added, other, true).ok).toBe(false);
    }
    const both = [base.replace("two\n", "2\nnew\n"), base.replace("three\n", "new\n3\n")] as const;
    expect(merge3(base, ...both, true).ok).toBe(false);
  });
});

test.each([
  ["above the first of two equal lines", "x\nx\n", "N\nx\nx\n"],
  ["below the last of them", "x\nx\n", "x\nx\nN\n"],
  ["where one of them became another", "x\nx\ny\n", "z\nN\nx\n"],
])("a line that was put between equal lines, and is there already, is not put in twice: %s", (_name, was, now) => {
  const wanted = was.replace("x\n", "x\nN\n");
  expect(merge3(was, now, wanted, true).ok).toBe(false);
  expect(merge3(was, `M\n${was}`, wanted, true).ok).toBe(true);
});
