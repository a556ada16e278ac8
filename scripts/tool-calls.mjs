// Writes dist/surfaces/calls.d.ts: the tools of the surfaces as functions whose names and parameters an editor explains.
// The words are those of the tools and of docs/surfaces/NAME.md.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const root = new URL("../", import.meta.url);

/** The declarations that take the place of those that the compiler makes of src/surfaces/calls.ts. */
export function callsOf(surfaces) {
  const used = ["AnswerOf", "CallingOptions", "InputOf"];
  return [
    `import type { ${used.join(", ")} } from "./bind.js";`,
    ...surfaces.map(({ name }) => `import type { ${capital(name)}Tools } from "./${name}/index.js";`),
    ...surfaces.flatMap(functionsOf),
    "",
  ].join("\n");
}

/** For the build: of what it has compiled. */
export async function writeCalls(dist) {
  const { surfaceNamed, surfaceNames } = await import(pathToFileURL(join(dist, "surfaces/index.js")).href);
  writeFileSync(join(dist, "surfaces/calls.d.ts"), callsOf(surfaceNames.map((name) => surfaceNamed(name))));
}

function functionsOf({ name, tools }) {
  const page = readFileSync(new URL(`docs/surfaces/${name}.md`, root), "utf8");
  const owner = capital(name);
  return [
    "",
    `/** The tools of \`${name}\` as functions. */`,
    `export interface ${owner}Calls {`,
    ...tools.flatMap((tool) => [
      `  ${comment(tool.description.split("\n")[0])}`,
      `  ${tool.name}(input: ${inputName(owner, tool)}, options?: CallingOptions): AnswerOf<${owner}Tools, "${tool.name}">;`,
    ]),
    "}",
    ...tools.flatMap((tool) => inputOf(owner, tool, wordsIn(page, tool.name))),
  ];
}

function inputOf(owner, tool, words) {
  const fields = Object.entries(tool.input.shape).flatMap(([field, schema]) => [
    `  ${comment(words.get(field))}`,
    `  readonly ${field}${schema.isOptional() ? "?" : ""}: Given["${field}"];`,
  ]);
  const given = `InputOf<${owner}Tools, "${tool.name}">`;
  return [
    "",
    `/** What \`${tool.name}\` takes. */`,
    `interface ${inputName(owner, tool)} {`,
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
  const meaning = cells[0]?.indexOf("meaning");
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

function inputName(owner, { name }) {
  return `${owner}${name.split("_").map(capital).join("")}Input`;
}

function capital(word) {
  return word.charAt(0).toUpperCase() + word.slice(1);
}
