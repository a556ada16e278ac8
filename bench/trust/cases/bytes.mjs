// What is around an edit stays as it is: other bytes, line ends, byte order mark, final newline, tabs.
import { judgeEdit } from "../verdict.mjs";

const E9 = Buffer.from([0xe9]);

/** @type {import("../verdict.mjs").Case[]} */
export const byteCases = [
  {
    id: "stray-byte",
    title: "edit beside a byte that is not UTF-8 (E9)",
    good: "only the edit changes, or a refusal",
    run: (bench) =>
      judgeEdit(bench, {
        before: Buffer.concat([Buffer.from("name = caf"), E9, Buffer.from("\nport = 1\nhost = here\n")]),
        oldText: "port = 1",
        newText: "port = 2",
        expected: Buffer.concat([Buffer.from("name = caf"), E9, Buffer.from("\nport = 2\nhost = here\n")]),
      }),
  },
  {
    id: "crlf-one-line",
    title: "CRLF file, one line edited",
    good: "every other line keeps CRLF",
    run: (bench) =>
      judgeEdit(bench, {
        before: "one\r\ntwo\r\nthree\r\n",
        oldText: "two",
        newText: "TWO",
        expected: "one\r\nTWO\r\nthree\r\n",
      }),
  },
  {
    id: "crlf-two-lines",
    title: "CRLF file, two lines sent with LF",
    good: "applied, with CRLF",
    run: (bench) =>
      judgeEdit(bench, {
        before: "one\r\ntwo\r\nthree\r\nfour\r\n",
        oldText: "two\nthree",
        newText: "TWO\nTHREE",
        expected: "one\r\nTWO\r\nTHREE\r\nfour\r\n",
      }),
  },
  {
    id: "bom",
    title: "byte order mark",
    good: "kept",
    run: (bench) =>
      judgeEdit(bench, {
        before: "\uFEFFone\ntwo\nthree\n",
        oldText: "two",
        newText: "TWO",
        expected: "\uFEFFone\nTWO\nthree\n",
      }),
  },
  {
    id: "mixed-eol",
    title: "LF and CRLF in one file",
    good: "each line keeps its own",
    run: (bench) =>
      judgeEdit(bench, {
        before: "one\ntwo\r\nthree\nfour\r\n",
        oldText: "three",
        newText: "THREE",
        expected: "one\ntwo\r\nTHREE\nfour\r\n",
      }),
  },
  {
    id: "final-newline",
    title: "no final newline",
    good: "still none",
    run: (bench) =>
      judgeEdit(bench, { before: "one\ntwo\nthree", oldText: "three", newText: "THREE", expected: "one\ntwo\nTHREE" }),
  },
  {
    id: "tabs-as-spaces",
    title: "tab file, the model sends four spaces",
    good: "applied with tabs, or refused",
    run: (bench) =>
      judgeEdit(bench, {
        before: "func main() {\n\tif ready {\n\t\treturn run()\n\t}\n\tstop()\n}\n",
        oldText: "    if ready {\n        return run()\n    }",
        newText: "    if ready {\n        return start()\n    }",
        expected: "func main() {\n\tif ready {\n\t\treturn start()\n\t}\n\tstop()\n}\n",
        path: "main.go",
      }),
  },
  {
    id: "dollar",
    title: "`$&`, `$1` and `$$` in the new text",
    good: "taken literally",
    run: (bench) =>
      judgeEdit(bench, {
        before: "one\ntwo\nthree\n",
        oldText: "two",
        newText: "cost: $& $1 $$ $`",
        expected: "one\ncost: $& $1 $$ $`\nthree\n",
      }),
  },
  {
    id: "several-matches",
    title: "the old text occurs twice",
    good: "refused",
    run: (bench) =>
      judgeEdit(bench, {
        before: "limit = 10\nother = 1\nlimit = 10\n",
        oldText: "limit = 10",
        newText: "limit = 20",
        expected: null,
      }),
  },
  {
    id: "empty-old",
    title: "empty old text on a file with content",
    good: "refused",
    run: (bench) => judgeEdit(bench, { before: "one\ntwo\n", oldText: "", newText: "inserted\n", expected: null }),
  },
];
