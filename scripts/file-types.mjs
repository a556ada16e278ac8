// Writes src/search/file-types.ts from the list that the installed ripgrep prints; run it after an update of ripgrep.
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { rgPath } from "@vscode/ripgrep";

const WIDTH = 120;

export function fileTypesSource() {
  const list = execFileSync(rgPath, ["--no-config", "--type-list"], { encoding: "utf8" }).trimEnd().split("\n");
  const rows = [""];
  for (const type of list.map((line) => `${line.replaceAll(", ", " ")};`)) {
    const row = `${rows.at(-1)} ${type}`.trimStart();
    if (row.length <= WIDTH) rows.splice(-1, 1, row);
    else rows.push(type);
  }
  return `// The names of file types and the file names they stand for. Made by scripts/file-types.mjs from ripgrep's own list.

let known: ReadonlyMap<string, readonly string[]> | undefined;

export function fileTypes(): ReadonlyMap<string, readonly string[]> {
  known ??= new Map(
    LIST.split(/;\\s/).map((type) => {
      const [name, globs] = type.split(": ");
      return [name!, globs!.split(" ")];
    }),
  );
  return known;
}

const LIST = \`\\
${rows.join("\n").replace(/;$/, "")}\`;
`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  writeFileSync(new URL("../src/search/file-types.ts", import.meta.url), fileTypesSource());
}
