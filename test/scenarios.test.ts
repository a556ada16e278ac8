// The scenarios: every folder of test/scenarios is played on every backend; its README says what a folder holds.
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import type { Backend, Path } from "../src/core/backend.ts";
import { bytesOf, versionOf } from "../src/core/version.ts";
import type { Session } from "../src/kernel/session.ts";
import { Workspace } from "../src/kernel/workspace.ts";
import { call, surfaceNamed, type ToolResult } from "../src/surfaces/index.ts";
import { BACKENDS } from "./support/workspace.ts";

const root = fileURLToPath(new URL("./scenarios/", import.meta.url));
const scenarios = readdirSync(root, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => [name.replaceAll("_", " "), join(root, name)] as const)
  .sort();

const expectation = z.strictObject({
  ok: z.boolean(),
  kind: z.string().optional(),
  data: z.record(z.string(), z.unknown()).optional(),
  details: z.record(z.string(), z.unknown()).optional(),
  text: z.string().optional(),
  exactly: z.string().optional(),
  warnings: z.array(z.string()).default([]),
});
const toolCall = z.strictObject({
  surface: z.string(),
  session: z.string().default("a"),
  tool: z.string(),
  input: z.record(z.string(), z.unknown()),
  expect: expectation,
  save: z.record(z.string(), z.string()).default({}),
});
const outsideChange = z.strictObject({
  shell: z.strictObject({ write: z.record(z.string(), z.string()) }),
});
const steps = z.array(z.union([toolCall, outsideChange])).min(1);

type Files = Record<string, Buffer>;
type ToolCall = z.output<typeof toolCall>;

describe.each(BACKENDS)("scenarios on %s", (_name, make) => {
  it.each(scenarios)("%s", async (_title, folder) => {
    const input = filesBelow(join(folder, "input"));
    const backend = make(input);
    const workspace = new Workspace(backend);
    const sessions = new Map<string, Session>();
    const saved = new Map<string, string>();

    for (const [at, step] of steps.parse(jsonOf(join(folder, "calls.json"))).entries()) {
      if ("shell" in step) {
        for (const [path, content] of Object.entries(step.shell.write)) await writeOutside(backend, path, content);
        continue;
      }
      const wanted = { ...step, ...(filledIn({ input: step.input, expect: step.expect }, saved) as Partial<ToolCall>) };
      const session = sessions.get(step.session) ?? workspace.session({ id: step.session });
      sessions.set(step.session, session);
      const surface = surfaceNamed(step.surface);
      const result = await call(session, surface, step.tool, wanted.input);
      compare(result, wanted, `call ${at + 1}, ${step.surface} ${step.tool}`);
      if (result.ok) surface.tools.find(({ name }) => name === step.tool)!.output.parse(result.data);
      for (const [name, place] of Object.entries(step.save)) saved.set(name, valueAt(result, place));
    }

    const expected = join(folder, "expected");
    expect(printable(await filesOf(backend))).toEqual(printable(existsSync(expected) ? filesBelow(expected) : input));
    await everythingIsKept(workspace);
    await workspace.close();
  });
});

function compare(result: ToolResult<unknown>, { expect: wanted }: ToolCall, which: string): void {
  const told = `${which}: ${result.text}`;
  expect(result.ok, told).toBe(wanted.ok);
  const error = result.ok ? undefined : result.error;
  if (wanted.kind !== undefined) expect(error?.kind, told).toBe(wanted.kind);
  if (wanted.details !== undefined) expect(error?.details, told).toMatchObject(wanted.details);
  if (wanted.data !== undefined) expect(result.data, told).toMatchObject(wanted.data);
  if (wanted.text !== undefined) expect(result.text, which).toContain(wanted.text);
  if (wanted.exactly !== undefined) expect(result.text, which).toBe(wanted.exactly);
  const warnings = result.ok ? (result.warnings ?? []) : [];
  expect(warnings, told).toEqual(wanted.warnings.map((part) => expect.stringContaining(part)));
}

/** Whatever a call replaced or wrote can be had back, and the journal's chain holds. */
async function everythingIsKept(workspace: Workspace): Promise<void> {
  for await (const { changes } of workspace.log({ outcomes: ["applied"] })) {
    for (const { from, to } of changes) {
      for (const sha of [from, to]) if (sha !== null) expect(await workspace.backend.recall(sha)).not.toBeNull();
    }
  }
  expect(await workspace.verify()).toMatchObject({ ok: true, problems: [] });
}

/** A program beside stet; where no program can reach the files, somebody else who uses the backend. */
async function writeOutside(backend: Backend, raw: string, content: string): Promise<void> {
  if (backend.directory !== undefined) return writeFileSync(join(backend.directory, raw), content);
  const { path } = await backend.resolve(raw);
  const from = (await backend.read(path))?.sha ?? null;
  const author = { session: "outside", tool: "shell" };
  await backend.commit([{ path, from, to: versionOf([Buffer.from(content)]), proof: "waived" }], author);
}

async function filesOf(backend: Backend, dir = "" as Path): Promise<Files> {
  if (backend.directory !== undefined) return filesBelow(backend.directory);
  const files: Files = {};
  for await (const { kind, path } of backend.list(dir)) {
    if (kind === "directory") Object.assign(files, await filesOf(backend, path));
    else files[path] = Buffer.from(bytesOf((await backend.read(path))!));
  }
  return files;
}

function filesBelow(directory: string): Files {
  if (!existsSync(directory)) return {};
  const entries = readdirSync(directory, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = entries.map((entry) => relative(directory, join(entry.parentPath, entry.name)));
  const ours = paths.filter((path) => path.split(sep)[0] !== ".stet");
  return Object.fromEntries(ours.map((path) => [path.replaceAll(sep, "/"), readFileSync(join(directory, path))]));
}

/** One character for each byte, so that a difference can be read in the report. */
function printable(files: Files): Record<string, string> {
  return Object.fromEntries(Object.entries(files).map(([path, bytes]) => [path, bytes.toString("latin1")]));
}

function jsonOf(file: string): unknown {
  return JSON.parse(readFileSync(file, "utf8"));
}

function filledIn(value: unknown, saved: ReadonlyMap<string, string>): unknown {
  const fill = (_all: string, name: string) => saved.get(name) ?? expect.fail(`nothing was saved as ${name}`);
  return JSON.parse(JSON.stringify(value), (_key, each) =>
    typeof each === "string" ? each.replace(/\$\{(\w+)\}/g, fill) : each,
  );
}

function valueAt(result: unknown, place: string): string {
  const value = place
    .split(".")
    .reduce<unknown>((all, key) => (all as Record<string, unknown> | undefined)?.[key], result);
  return typeof value === "string" ? value : expect.fail(`there is no text at ${place}`);
}
