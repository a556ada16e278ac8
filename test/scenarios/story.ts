// What a file of test/scenarios may hold; README.md says what it means.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { z } from "zod";

export const WAYS = ["memory", "disk", "stdio", "http", "postgres"] as const;

const texts = z.union([z.string(), z.array(z.string())]).transform((one) => [one].flat());
const record = z.record(z.string(), z.unknown());
const content = z.union([
  z.string(),
  z.strictObject({ base64: z.string() }),
  z.strictObject({ link: z.string() }),
  z.strictObject({ executable: z.string() }),
  z.strictObject({ repeat: z.string(), times: z.number() }),
]);
const files = z.record(z.string(), content);

const called = z.strictObject({
  call: z.string(),
  input: record.default({}),
  refused: z.string().optional(),
  says: texts.default([]),
  not: texts.default([]),
  exactly: z.string().optional(),
  warns: texts.default([]),
  data: record.optional(),
  details: record.optional(),
  save: z.record(z.string(), z.string()).default({}),
});
const step = z.union([
  called,
  z.strictObject({ together: z.array(called) }),
  z.strictObject({ outside: z.record(z.string(), content.nullable()) }),
  z.strictObject({ stet: z.string(), exit: z.number().default(0), says: texts.default([]), not: texts.default([]) }),
  z.strictObject({ tools: z.string(), says: texts.default([]), not: texts.default([]) }),
  z.strictObject({ token: z.string().nullable(), status: z.number(), says: texts.default([]), not: texts.default([]) }),
  z.strictObject({ restart: z.enum(["close", "kill"]) }),
]);

const story = z.strictObject({
  proves: z.record(z.string(), texts).default({}),
  surface: z.string().default("workspace"),
  agents: z.record(z.string(), z.string()).default({}),
  apart: z.boolean().default(false),
  on: z.array(z.enum(WAYS)).default([...WAYS]),
  config: record.default({}),
  env: z.record(z.string(), z.string()).default({}),
  files: files.default({}),
  steps: z.array(step).min(1),
  after: files.optional(),
  journal: z.array(z.string()).optional(),
});

export type Story = z.output<typeof story>;
export type Step = z.output<typeof step>;
export type Call = z.output<typeof called>;
export type Content = z.output<typeof content>;

export function isExecutable(content: Content): boolean {
  return typeof content === "object" && "executable" in content;
}

/** Every story with its name, "folder: what it shows". */
export function stories(): readonly (readonly [name: string, story: Story])[] {
  const paths = readdirSync(import.meta.dirname, { recursive: true, encoding: "utf8" });
  return paths
    .filter((path) => path.endsWith(".yaml"))
    .sort()
    .map((path) => {
      const parsed = story.safeParse(parse(readFileSync(join(import.meta.dirname, path), "utf8")));
      if (!parsed.success) throw new Error(`${path}: ${z.prettifyError(parsed.error)}`);
      return [path.replace(".yaml", "").replace("/", ": ").replaceAll("-", " "), parsed.data];
    });
}
