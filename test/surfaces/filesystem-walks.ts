// After every tool of `filesystem`, the next call that its text leads to.
import { asked, numberIn, type Step, type Walk } from "./walks.ts";

const A = { path: "a.ts" };

export const FILESYSTEM: Readonly<Record<string, readonly Walk[]>> = {
  ...Object.fromEntries(
    ["read_file", "read_text_file"].map((tool): [string, readonly Walk[]] => [
      tool,
      [{ input: { ...A, head: 1 }, next: (text) => editing(text), answer: /^-const one = 1;\n\+changed$/m }],
    ]),
  ),
  read_multiple_files: [
    {
      input: { paths: ["a.ts", "no.ts"] },
      next: (text) => ["write_file", { path: asked(text, /^(.+): Error - no\.ts does not exist/m), content: "" }],
      answer: /^Successfully wrote to no\.ts$/,
    },
  ],
  read_media_file: [
    {
      input: { path: "x.bin" },
      next: (text) => ["move_file", { source: asked(text, /^(.+): application\/octet-stream$/), destination: "y.bin" }],
      answer: /^Successfully moved x\.bin to y\.bin$/,
    },
  ],
  write_file: [
    {
      input: { path: "b.ts", content: "one\n" },
      next: (text) => ["read_text_file", { path: asked(text, /to (.+)$/) }],
      answer: /^one\n$/,
    },
  ],
  edit_file: [
    {
      input: { ...A, edits: [{ oldText: "one", newText: "eins" }] },
      next: (text) => editing(asked(text, /^\+(const .+)$/m)),
      answer: /^-const eins = 1;\n\+changed$/m,
    },
  ],
  create_directory: [
    {
      input: { path: "new" },
      next: (text) => ["write_file", { path: `${asked(text, /^(\S+) comes/)}/b.ts`, content: "" }],
      answer: /^Successfully wrote to new\/b\.ts$/,
    },
  ],
  move_file: [
    {
      input: { source: "src/long.ts", destination: "src/moved.ts" },
      next: (text) => ["get_file_info", { path: asked(text, /to (.+)$/) }],
      answer: /isFile: true/,
    },
  ],
  list_directory: [{ input: { path: "." }, next: lookIn, answer: /^\[FILE\] long\.ts$/ }],
  list_directory_with_sizes: [{ input: { path: "." }, next: lookIn, answer: /^\[FILE\] long\.ts$/ }],
  directory_tree: [
    {
      input: { path: "." },
      next: (text) => ["get_file_info", { path: (JSON.parse(text) as { name: string }[])[0]!.name }],
      answer: /^size: 30$/m,
    },
  ],
  search_files: [
    {
      input: { path: ".", pattern: "**/*.ts", excludePatterns: ["a.ts"] },
      next: (text) => ["read_text_file", { path: text, tail: 1 }],
      answer: /^const line2500 = 2499;\n$/,
    },
  ],
  get_file_info: [
    {
      input: A,
      next: (text) => ["read_text_file", { ...A, tail: numberIn(text, /^size: (\d+)$/m) }],
      answer: /^const one/,
    },
  ],
  list_allowed_directories: [
    { input: {}, next: (text) => ["list_directory", { path: text.split("\n")[1]! }], answer: /^\[DIR\] src$/m },
  ],
};

function editing(line: string): Step {
  return ["edit_file", { ...A, edits: [{ oldText: line, newText: "changed" }] }];
}

function lookIn(text: string): Step {
  return ["list_directory", { path: asked(text, /^\[DIR\] (\S+)/m) }];
}
