// The common shape of a tool, which every adapter is a map over; and whether the frameworks are here to test the adapters with.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { openWorkspace } from "stet";
import { type Approve, instructionsOf, SURFACE_RULES, surfaceFor, toolsOf } from "stet/adapters";
import { compact, defineTool, files, workspace as surface, tracked, z } from "stet/surfaces";
import { describe, expect, it, vi } from "vitest";
import { directoryWith } from "../support/workspace.ts";
import { CASES, open, PIXEL } from "./support/cases.ts";

const here = fileURLToPath(new URL(".", import.meta.url));
const installed = existsSync(join(here, "node_modules"));

it.skipIf(installed)("the agent frameworks are installed", (context) => {
  const why = "the agent frameworks are not installed: npm run test:adapters installs them, and tests the adapters";
  if (process.env.STET_ADAPTERS === "required") throw new Error(why);
  context.skip(why);
});

it("the frameworks are pinned, and none of them is a dependency of stet", () => {
  const { dependencies } = JSON.parse(readFileSync(join(here, "package.json"), "utf8"));
  const own = JSON.parse(readFileSync(join(here, "../../package.json"), "utf8"));
  for (const [name, version] of Object.entries(dependencies)) {
    expect(version).toMatch(/^\d+\.\d+\.\d+$/);
    expect(Object.keys({ ...own.dependencies, ...own.optionalDependencies, ...own.devDependencies })).not.toContain(
      name,
    );
    if (own.peerDependencies[name] !== undefined) expect(own.peerDependenciesMeta[name]).toEqual({ optional: true });
  }
});

describe("toolsOf", () => {
  it("has the tools that the policy offers, with schemas, bound to the session", async () => {
    const root = directoryWith({ "a.txt": "one\n" });
    const workspace = openWorkspace({ root, policy: { readOnly: true } });
    const tools = toolsOf(workspace.session(), surface);
    expect(tools.map(({ effect }) => effect)).toEqual(tools.map(() => "read"));
    const read = tools.find(({ name }) => name === "read_file")!;
    expect(read.schema).toMatchObject({ type: "object", required: ["path"] });
    expect(read.strict()).toMatchObject({ additionalProperties: false });
    expect(await read.run({ path: "a.txt" })).toMatchObject({
      ok: true,
      images: [],
      warnings: [],
      data: { content: "one\n" },
    });
    await workspace.close();
  });

  it("gives a refusal as words and data, also for what is no input at all", async () => {
    const { workspace } = open({});
    const [read] = toolsOf(workspace.session(), tracked, { only: ["Read"] });
    const missing = await read!.run('{"file_path":"none.txt"}');
    expect(missing).toMatchObject({
      ok: false,
      text: expect.stringContaining("none.txt"),
      data: { kind: "not_found" },
    });
    for (const input of [undefined, null, 7, "no json", []])
      expect(await read!.run(input)).toMatchObject({ ok: false });
    await workspace.close();
  });

  it("writes the id of the call down, however long it is, and takes no undefined amiss", async () => {
    const { workspace } = open({});
    const [write] = toolsOf(workspace.session({ agent: "a" }), tracked, { only: ["Write"] });
    const id = "x".repeat(5000);
    expect((await write!.run({ file_path: "a.txt", content: "" }, { id, signal: undefined })).ok).toBe(true);
    expect((await write!.run({ file_path: "b.txt", content: "" }, { id: undefined, signal: null })).ok).toBe(true);
    const calls: unknown[] = [];
    for await (const { call } of workspace.log()) calls.push(call);
    expect(calls).toEqual(["x".repeat(1000), undefined]);
    await workspace.close();
  });

  it("has pictures apart from the data, and warnings beside the words", async () => {
    const { workspace } = open({ "a.txt": "1\n2\n3\n" });
    const session = workspace.session();
    await session.create("dot.png", PIXEL);
    const [read] = toolsOf(session, compact, { only: ["Read"] });
    const seen = await read!.run({ file_path: "dot.png" });
    expect(seen.images).toEqual([{ mimeType: "image/png", base64: PIXEL.toString("base64") }]);
    expect(JSON.stringify(seen.data)).not.toContain(PIXEL.toString("base64"));
    const warned = await read!.run({ file_path: "a.txt", pages: "1" });
    expect(warned.warnings).toEqual([expect.stringContaining("`pages`")]);
    expect(warned.text).toContain(`Warning: ${warned.warnings[0]}`);
    await workspace.close();
  });

  it("asks for approval by effect, by a function, and about what only reads when told so", async () => {
    const { workspace } = open({});
    const session = workspace.session();
    const inputs: Record<string, object> = {
      read_file: { path: "a" },
      create_file: { path: "a", content: "" },
      delete_file: { path: "a" },
      move_file: { fromPath: "a", toPath: "b", expectedSha256: "0".repeat(64) },
      apply_patch: { patch: "*** Begin Patch\n*** End Patch\n" },
    };
    const asked = async (approve: Approve | undefined) => {
      const tools = toolsOf(session, surface, { approve, only: Object.keys(inputs) });
      const answers = tools.map(async (tool) => ((await tool.needsApproval(inputs[tool.name])) ? [tool.name] : []));
      return (await Promise.all(answers)).flat();
    };
    const [, , ...destroying] = Object.keys(inputs);
    expect(await asked(undefined)).toEqual([]);
    expect((await asked(["destroy"])).sort()).toEqual([...destroying].sort());
    expect((await asked(["write"])).sort()).toEqual(["create_file", ...destroying].sort());
    expect(await asked(["read"])).toEqual(["read_file"]);
    expect(await asked(({ name }) => name === "read_file")).toEqual(["read_file"]);
    const one = (approve: Approve) => toolsOf(session, files({ mode: "sandbox" }), { approve })[0]!;
    const reads = { params: { command: "read", file_path: "a" } };
    expect(await one(["write", "destroy"]).needsApproval(reads)).toBe(false);
    expect(await one(["read"]).needsApproval(reads)).toBe(true);
    const writes = { params: { command: "write", file_path: "a", content: "" } };
    expect(await one(["write", "destroy"]).needsApproval(writes)).toBe(true);
    expect(await one(["read"]).needsApproval(writes)).toBe(false);
    await workspace.close();
  });

  it("shows an approving function the input that the tool takes, however the model wrote it", async () => {
    const { workspace } = open({});
    const seen: unknown[] = [];
    const approve: Approve = (_tool, input) => {
      seen.push(input.path);
      return input.path === "secret.txt";
    };
    const [tool] = toolsOf(workspace.session(), surface, { approve, only: ["delete_file"] });
    const given = { file_path: "secret.txt" };
    const ways = [{ path: "secret.txt" }, given, JSON.stringify(given), JSON.stringify(JSON.stringify(given))];
    for (const way of ways) expect(await tool!.needsApproval(way)).toBe(true);
    expect(seen).toEqual(ways.map(() => "secret.txt"));
    // What the tool will refuse is not asked about.
    for (const wrong of ["{", [1], {}, { path: {} }]) {
      expect(await tool!.needsApproval(wrong)).toBe(false);
      expect((await tool!.run(wrong)).ok).toBe(false);
    }
    await workspace.close();
  });

  it("gives one signal to many calls without a warning, and each of them hears it", async () => {
    const { workspace } = open({});
    const warned = vi.spyOn(process, "emitWarning").mockImplementation(() => undefined);
    const controller = new AbortController();
    const slow = defineTool({
      name: "slow",
      title: "Slow",
      description: "Takes its time.",
      effect: "read",
      actions: ["read"],
      input: z.object({}),
      output: z.object({}),
      refused: "Nothing was done.",
      run: () => new Promise<never>(() => {}),
      text: () => "",
    });
    const surfaceOfSlow = { name: "slow", title: "Slow", guidance: "", tools: [slow] };
    const [tool] = toolsOf(workspace.session(), surfaceOfSlow);
    const calls = Array.from({ length: 20 }, () => tool!.run({}, { signal: controller.signal }));
    setImmediate(() => controller.abort());
    expect((await Promise.all(calls)).map(({ ok }) => ok)).toEqual(calls.map(() => false));
    expect(warned).not.toHaveBeenCalled();
    warned.mockRestore();
    await workspace.close();
  });

  it("refuses wishes that it would have to ignore", async () => {
    const { workspace } = open({});
    const make = (options: object) => () => toolsOf(workspace.session(), surface, options);
    expect(make({ only: ["reed_file"] })).toThrow(/'reed_file' in `only` is no tool of workspace/);
    expect(make({ only: "read_file" })).toThrow("`only` is no list");
    expect(make({ approve: ["delete"] })).toThrow("'delete' in `approve` is no effect");
    expect(make({ approve: true })).toThrow("neither a list of effects nor a function");
    expect(make({ onyl: ["read_file"] })).toThrow('There is no option "onyl" here. The options are approve, only.');
    await workspace.close();
  });

  it("has instructions for the tools that are offered", async () => {
    const { workspace } = open({});
    expect(instructionsOf(workspace.session(), tracked)).toBe(tracked.guidance);
    const readOnly = openWorkspace({ root: directoryWith({}), policy: { readOnly: true } });
    expect(instructionsOf(readOnly.session(), tracked)).not.toMatch(/\bWrite\b/);
    await Promise.all([workspace.close(), readOnly.close()]);
  });
});

it("there is an example and a section of docs/adapters.md for every adapter, and the table of surfaces with its sources", () => {
  const page = readFileSync(join(here, "../../docs/adapters.md"), "utf8");
  const { exports } = JSON.parse(readFileSync(join(here, "../../package.json"), "utf8"));
  const adapters = Object.keys(exports).flatMap((path) => /^\.\/adapters\/(.*)$/.exec(path)?.[1] ?? []);
  expect(adapters.length).toBeGreaterThan(6);
  const examples = adapters.filter((name) => existsSync(join(here, `../../examples/adapters/${name}.mjs`)));
  expect(examples).toEqual(adapters);
  for (const name of adapters) expect(page).toMatch(new RegExp(`^## .*: \`${name}\`$`, "m"));
  for (const { surface: name, source } of SURFACE_RULES) {
    const row = page.split("\n").find((line) => line.includes(`(${source})`));
    expect(row?.split("|")[2]).toBe(` \`${name}\` `);
  }
});

it("what docs/adapters.md says is tested is tested, by a test of that name", () => {
  const page = readFileSync(join(here, "../../docs/adapters.md"), "utf8");
  const [head = "", , ...rows] = /^\| tested \|[\s\S]*?\n\n/m.exec(page)![0].trim().split("\n");
  const cells = (row: string): string[] =>
    row
      .split("|")
      .slice(1, -1)
      .map((cell) => cell.trim());
  const columns = Object.keys(CASES);
  expect(cells(head)).toHaveLength(columns.length + 1);
  expect(rows).toHaveLength(9);
  const told = rows.map((row) => {
    const [title = "", ...ticks] = cells(row);
    return { title, tested: columns.filter((_, n) => ticks[n] === "✓") };
  });
  const found = told.map(({ title }) => ({ title, tested: columns.filter((key) => testsOf(title).includes(key)) }));
  expect(told).toEqual(found);
});

/** The keys of the cases that the suite of this title has, as its source has them. */
function testsOf(title: string): string[] {
  const [framework = "", kind] = title.split(": ");
  const source = readFileSync(join(here, `with-${framework}.test.ts`), "utf8");
  const keysIn = (text: string): string[] => [...text.matchAll(/^ +it\(CASES\.(\w+),/gm)].map(([, key]) => key!);
  if (kind === "tools" && source.includes(`\ndescribeFramework("${framework}",`))
    return keysIn(readFileSync(join(here, "support/cases.ts"), "utf8"));
  const start = source.search(new RegExp(`^describe(?:\\.each\\(\\w+\\))?\\("${title}`, "m"));
  return start < 0 ? [] : keysIn(source.slice(start, source.indexOf("\n});", start)));
}

it("an adapter is a short map: each file has at most 90 lines", () => {
  const { exports } = JSON.parse(readFileSync(join(here, "../../package.json"), "utf8"));
  const files = Object.keys(exports).flatMap((path) => /^\.(\/adapters\/.*)$/.exec(path)?.[1] ?? []);
  const lines = (file: string) => readFileSync(join(here, `../../src${file}.ts`), "utf8").split("\n").length - 1;
  expect(files.filter((file) => lines(file) > 90)).toEqual([]);
});

describe("surfaceFor", () => {
  it.each(["Cerebras-GPT-13B", "cerebras-gpt-6.7b", "codegpt-7b", "gpt-20b-instruct", undefined, null])(
    "takes no size for a version, and has a suggestion for %s",
    (model) => expect(surfaceFor(model).name).toBe("compact"),
  );

  it.each([
    ["gpt-5.1-codex-max", "workspace"],
    ["openai/gpt-5.6", "workspace"],
    ["oca/gpt5", "workspace"],
    ["gpt-10", "workspace"],
    ["codex-mini-latest", "workspace"],
    ["gpt-1106-preview", "compact"],
    ["gpt-4-turbo", "compact"],
    ["anthropic/claude-sonnet-5.5", "tracked"],
    ["us.anthropic.claude-haiku-5-5-v1:0", "tracked"],
    ["Claude Opus 5", "tracked"],
    ["x-ai/grok-5", "anchors"],
    ["z-ai/GLM-5", "anchors"],
    ["gpt-4.1-mini", "compact"],
    ["google/gemini-3-flash-preview", "compact"],
    ["qwen3-8b", "compact"],
    ["some-model", "compact"],
    ["", "compact"],
  ])("%s: %s", (model, name) => {
    expect(surfaceFor(model).name).toBe(name);
  });

  it("takes a rule with the flag g alike each time", () => {
    const rules = [{ models: /mine/g, surface: "anchors" }];
    expect([1, 2, 3].map(() => surfaceFor("mine", rules).name)).toEqual(["anchors", "anchors", "anchors"]);
  });

  it("takes rules that come first, and says what its own rest on", () => {
    expect(surfaceFor("claude-mine", [{ models: /mine/, surface: "anchors" }]).name).toBe("anchors");
    for (const { why, source } of SURFACE_RULES)
      expect([why, source]).toEqual([expect.any(String), expect.stringMatching(/^https:/)]);
  });
});
