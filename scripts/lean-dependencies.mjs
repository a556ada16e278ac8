// What dependencies do at start and stet does not need, left out of the bundle. Where a text is not as expected, nothing is.
import { readFileSync } from "node:fs";
import { dirname } from "node:path";

/** zod brings its messages in fifty languages; stet uses one. */
const englishOnly = onLoading(
  /[\\/]zod[\\/]v4[\\/]locales[\\/]index\.js$/,
  () => 'export { default as en } from "./en.js";',
);

/** Said so, the bundler sees which parts of zod are used, and leaves out the rest. */
const usedPartsOfZod = onLoading(
  /[\\/]src[\\/].*\.ts$/,
  (text) => text.replace('import { z } from "zod";', 'import * as z from "zod";'),
  "ts",
);

/** zod compiles a parser for every schema when it is first used, and most are used once or twice. */
const lateParsers = onLoading(/[\\/]zod[\\/]v4[\\/]core[\\/]schemas\.js$/, (text) =>
  text.replace(
    /let fastpass;([\s\S]*?)if \(jit && fastEnabled &&/,
    "let fastpass, uses = 0;$1if (jit && fastEnabled && (fastpass || ++uses > 3) &&",
  ),
);

/** The MCP library makes a JSON Schema validator for every server; stet's never asks it anything. */
const lateValidator = onLoading(/[\\/]@modelcontextprotocol[\\/]server[\\/]dist[\\/]shimsNode\.mjs$/, (text) => {
  const { validator, file } = /import \{ (?<validator>\w+) as \w+ \} from "(?<file>[^"]+)"/.exec(text)?.groups ?? {};
  if (file === undefined) return text;
  return `export { default as process } from "node:process";
    export class DefaultJsonSchemaValidator {
      getValidator(schema) { return new (require(${JSON.stringify(file)}).${validator})().getValidator(schema); }
    }`;
});

/** It also makes a schema for everything in the protocol, for users who want to check such data themselves. */
const noSpecTypes = onLoading(/[\\/]@modelcontextprotocol[\\/]server[\\/]dist[\\/]src-[\w-]+\.mjs$/, (text) =>
  text
    .replace("for (const key of SPEC_SCHEMA_KEYS) register(key, schemas_exports[key]);", "")
    .replace("for (const [key, schema] of Object.entries(authSchemas)) register(key, schema);", ""),
);

/** To make a schema has no effect beyond the schema: those that nothing refers to can go. */
const unusedSchemas = onLoading(
  /[\\/]@modelcontextprotocol[\\/]core[\\/]dist[\\/](?:schemas|auth)-[\w-]+\.mjs$/,
  (text) =>
    text.replaceAll(
      /^const (\w+) = ((?:z|\w+Schema)\.[\s\S]*?);\n(?=\n|[^\s})])/gm,
      (_, name, made) => `const ${name} = /* @__PURE__ */ (() => ${made})();\n`,
    ),
);

/** What was left out must not be missed. */
export function refuseMissing(code) {
  const [used] = /\b(?:specTypeSchemas|isSpecType)\s*[.[]/.exec(code) ?? [];
  if (used !== undefined)
    throw new Error(`The program uses ${used} of the MCP library, which the bundle leaves empty.`);
}

export const leanDependencies = [usedPartsOfZod, englishOnly, lateParsers, lateValidator, noSpecTypes, unusedSchemas];

function onLoading(filter, change, loader = "js") {
  return {
    name: `lean ${filter.source}`,
    setup({ onLoad }) {
      onLoad({ filter }, ({ path }) => ({
        contents: change(readFileSync(path, "utf8")),
        resolveDir: dirname(path),
        loader,
      }));
    },
  };
}
