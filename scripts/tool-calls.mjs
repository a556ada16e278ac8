// Writes src/surfaces/NAME/calls.ts: the tools of a surface as functions whose names and parameters an editor explains.
// The words are those of the tools and of docs/surfaces/NAME.md; run it after a change of either and a build.
import { readFileSync, writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const root = new URL("../", import.meta.url);
/** By surface: the module that has its tools, and the name of their type. */
const TOOLS = {
  workspace: ["./index.ts", "WorkspaceTools"],
  tracked: ["./index.ts", "TrackedTools"],
  compact: ["./index.ts", "CompactTools"],
  files: ["./index.ts", "FilesTools"],
  anchors: ["./index.ts", "AnchorsTools"],
};

/** The text of the file, for a surface and its page of the documentation. */
export function callsOf({ name, tools }, page) {
  const [from, type] = TOOLS[name];
  const used = ["AnswerOf", "CallingOptions", "InputOf"];
  return [
    "// Written by scripts/tool-calls.mjs from the tools and their page in docs/surfaces: words that an editor shows.",
    `import type { ${used.join(", ")} } from "../bind.ts";`,
    `import type { ${type} } from "${from}";`,
    "",
    `/** The tools of \`${name}\` as functions. */`,
    `export interface ${capital(name)}Calls {`,
    ...tools.flatMap((tool) => [
      `  ${comment(tool.description.split("\n")[0])}`,
      `  ${tool.name}(input: ${inputName(tool)}, options?: CallingOptions): AnswerOf<${type}, "${tool.name}">;`,
    ]),
    "}",
    ...tools.flatMap((tool) => inputOf(tool, type, wordsIn(page, tool.name))),
    "",
  ].join("\n");
}

function inputOf(tool, type, words) {
  const fields = Object.entries(tool.input.shape).flatMap(([field, schema]) => [
    `  ${comment(words.get(field))}`,
    `  readonly ${field}${schema.isOptional() ? "?" : ""}: Given["${field}"];`,
  ]);
  const given = `InputOf<${type}, "${tool.name}">`;
  return [
    "",
    `/** What \`${tool.name}\` takes. */`,
    `interface ${inputName(tool)} {`,
    ...fields.map((line) => line.replace("Given[", `${given}[`)),
    "}",
  ];
}

/** What the table of a tool says of each parameter. */
function wordsIn(page, tool) {
  const [section] = page.split(`### \`${tool}\` `)[1].split(/^##/m);
  const rows = section.split("\n").filter((line) => line.startsWith("|"));
  const cells = rows.map((row) =>
    row
      .split(/(?<!\\)\|/)
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
  const meaning = cells[0].indexOf("meaning");
  const words = new Map();
  for (const row of cells) {
    const preset = row.at(-1);
    const usual = preset === "" || preset === "required" ? "" : `Default: ${preset.replaceAll("`", "")}`;
    const said = [row[meaning], usual].filter((each) => each !== "").join(". ");
    for (const [, field] of row[0].matchAll(/`(\w+)`/g)) words.set(field, said);
  }
  return words;
}

function comment(words) {
  const sentence = capital(words.replaceAll("\\|", "|").replaceAll("*/", "*\\/"));
  return `/** ${sentence}${/[.…]$/.test(sentence) ? "" : "."} */`;
}

function inputName({ name }) {
  return `${name.split("_").map(capital).join("")}Input`;
}

function capital(word) {
  return word.charAt(0).toUpperCase() + word.slice(1);
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const { surfaceNamed, surfaceNames } = await import("../dist/surfaces/index.js");
  for (const name of surfaceNames) {
    const page = readFileSync(new URL(`docs/surfaces/${name}.md`, root), "utf8");
    writeFileSync(new URL(`src/surfaces/${name}/calls.ts`, root), callsOf(surfaceNamed(name), page));
  }
}
