// Rules that model APIs and protocols have for schemas, held for every tool of every surface.
import {
  type AnyTool,
  files,
  inputSchema,
  type JsonSchema,
  offeredTools,
  outputSchema,
  strictSchema,
  surfaceNamed,
  surfaceNames,
  workspaceBySession,
} from "stet/surfaces";
import { describe, expect, it } from "vitest";
import { memoryWorkspace } from "../support/workspace.ts";

const LIMIT_BYTES: Readonly<Record<string, number>> = { compact: 4096 };
const READ_ONLY = memoryWorkspace({}, { policy: { readOnly: true } }).policy;
const MADE: readonly (readonly [name: string, tools: readonly AnyTool[]])[] = [
  ...surfaceNames.map((name) => [name, surfaceNamed(name).tools] as const),
  ["workspace by session", workspaceBySession.tools],
  ["files, typed and with older tools", files({ env: {}, typed: true, legacy: true }).tools],
  ["files in a sandbox", files({ env: {}, mode: "sandbox", legacy: true }).tools],
  ["files, read-only", offeredTools(files({ env: {} }), READ_ONLY)],
];

describe.each(MADE)("every tool of %s", (_name, tools) => {
  it("has an input schema that every API takes", () => {
    for (const tool of tools) {
      const schema = inputSchema(tool);
      expect(schema.type).toBe("object");
      for (const keyword of ["oneOf", "anyOf", "allOf", "$ref", "not"]) expect(schema).not.toHaveProperty(keyword);
      expect(JSON.stringify(schema)).not.toMatch(/9007199254740991|\$schema|"\$ref"|\(\?[=!<]/);
      expect(inputSchema(tool)).toEqual(schema);
    }
  });

  it("shows all that it accepts but what is hidden", () => {
    for (const tool of tools) {
      const all = Object.keys(tool.input.shape);
      const hidden = tool.hidden ?? [];
      expect(all).toEqual(expect.arrayContaining([...hidden]));
      const shown = Object.keys((tool.shown ?? tool.input).shape).filter((name) => !hidden.includes(name));
      expect(Object.keys(inputSchema(tool).properties as object)).toEqual(shown);
      expect(all).toEqual(expect.arrayContaining(shown));
    }
  });

  it("has an output schema with an object at the root, which tells of warnings", () => {
    for (const tool of tools) {
      const { type, properties, required } = outputSchema(tool);
      expect(type).toBe("object");
      expect(properties).toMatchObject({ warnings: { type: "array", items: { type: "string" } } });
      expect(required).toContain("warnings");
    }
  });

  it("has a strict form: all required, nothing else allowed, absent is null", () => {
    const asking = tools.filter(({ input }) => Object.keys(input.shape).length > 0);
    for (const tool of asking) checkStrict(strictSchema(inputSchema(tool)));
  });

  it("has a name, a title, a description and says what did not happen", () => {
    for (const tool of tools) {
      expect(tool.name).toMatch(/^[A-Za-z_][\w-]{0,63}$/);
      for (const text of [tool.title, tool.description, tool.refused]) expect(text.trim().length).toBeGreaterThan(3);
      expect(tool.refused).toMatch(/\.$/);
    }
  });
});

describe("tool lists", () => {
  it.each(surfaceNames)("%s is small", (name) => {
    const bytes = bytesOf(surfaceNamed(name).tools);
    expect(bytes).toBeLessThanOrEqual(LIMIT_BYTES[name] ?? 8192);
  });
});

function bytesOf(list: readonly AnyTool[]): number {
  return Buffer.byteLength(
    JSON.stringify(
      list.map((tool) => ({ name: tool.name, description: tool.description, inputSchema: inputSchema(tool) })),
    ),
  );
}

/** Every schema in it, wherever it stands: an object lists its fields and allows no others, so there is no map. */
function checkStrict(schema: JsonSchema): void {
  for (const keyword of ["propertyNames", "patternProperties", "oneOf", "allOf", "default", "$ref"])
    expect(schema).not.toHaveProperty(keyword);
  expect(Object.keys(schema).filter((keyword) => /^(min|max|exclusive|multipleOf|unique)/.test(keyword))).toEqual([]);
  if ([schema.type].flat().includes("object")) {
    const properties = schema.properties as Record<string, JsonSchema>;
    expect(Object.keys(properties).length).toBeGreaterThan(0);
    expect(schema.additionalProperties).toBe(false);
    expect(schema.required).toEqual(Object.keys(properties));
  }
  for (const each of Object.values((schema.properties ?? {}) as Record<string, JsonSchema>)) checkStrict(each);
  if ([schema.type].flat().includes("array")) checkStrict(schema.items as JsonSchema);
  for (const each of (schema.anyOf ?? []) as readonly JsonSchema[]) checkStrict(each);
}
