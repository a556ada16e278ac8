// What docs/guarantees.md claims of several edits at once, of laxer surfaces and of the journal is done here, on real files.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { anchors, surfaceNamed, surfaceNames, workspace } from "stet/surfaces";
import { describe, expect, it } from "vitest";
import { agentOnDisk } from "./support/agent.ts";

const page = readFileSync(fileURLToPath(new URL("../docs/guarantees.md", import.meta.url)), "utf8");
const TEXT = "first line\nsecond line\nthird line\n";
const ALL = "FIRST line\nSECOND line\nTHIRD line\n";
const WORDS = ["first", "second", "third"];
const FILES = { "a.txt": TEXT, "b.txt": "b\n", "large.txt": TEXT.repeat(20) };

describe("several edits of one file at once, from one session", () => {
  const [, row] = /^\| several edits of one file at once, from one session \| (.*) \|$/m.exec(page)!;
  const named = (sentence: RegExp): string[] =>
    [...sentence.exec(row!)![1]!.matchAll(/`(\w+)`/g)].map(([, name]) => name!);

  it.each(named(/With a read as proof \((.*?)\) all are applied/))("%s: all are applied", async (name) => {
    expect(await threeAtOnce(name)).toEqual({ outcomes: ["ok", "ok", "ok"], text: ALL });
  });

  it.each(named(/with one sha256 for all \((.*?)\) the first is and the others are `stale_file`/))(
    "%s: the first is applied, the others are stale; with onStale all are applied",
    async (name) => {
      const { outcomes, text } = await threeAtOnce(name);
      expect(outcomes).toEqual(["ok", "stale_file", "stale_file"]);
      expect(text).toBe("FIRST line\nsecond line\nthird line\n");
      expect(row).toContain('or all with `onStale: "rebase"`');
      expect(await threeAtOnce(name, { onStale: "rebase" })).toEqual({ outcomes: ["ok", "ok", "ok"], text: ALL });
    },
  );

  it("speaks of every surface that works on a directory", () => {
    expect(
      [...row!.matchAll(/`(\w+)`/g)]
        .map(([, name]) => name)
        .filter((name) => surfaceNames.includes(name!))
        .sort(),
    ).toEqual(surfaceNames.filter((name) => name !== "files").sort());
  });
});

const EDIT = { file_path: "a.txt", old_string: "third", new_string: "last" };

/** `stale`: this session read a.txt, and then somebody else changed it; else it was never read. */
const LAX: readonly {
  readonly surface: string;
  readonly tool: string;
  readonly input: object;
  readonly stale?: true;
}[] = [
  { surface: "workspace", tool: "delete_file", input: { path: "a.txt" } },
  {
    surface: "workspace",
    tool: "apply_patch",
    input: { patch: "*** Begin Patch\n*** Delete File: a.txt\n*** End Patch" },
  },
  {
    surface: "workspace",
    tool: "move_file",
    input: { fromPath: "b.txt", toPath: "a.txt", overwrite: true, expectedSha256: "of b.txt" },
  },
  { surface: "tracked", tool: "Edit", input: EDIT, stale: true },
  { surface: "tracked", tool: "Write", input: { file_path: "a.txt", content: "b" }, stale: true },
  { surface: "compact", tool: "Edit", input: EDIT, stale: true },
  { surface: "compact", tool: "Edit", input: EDIT },
  { surface: "compact", tool: "Write", input: { file_path: "a.txt", content: "b" } },
  { surface: "anchors", tool: "write_file", input: { path: "a.txt", content: "b" } },
  { surface: "filesystem", tool: "write_file", input: { path: "a.txt", content: "b" } },
  {
    surface: "filesystem",
    tool: "edit_file",
    input: { path: "a.txt", edits: [{ oldText: "third", newText: "last" }] },
  },
  { surface: "filesystem", tool: "move_file", input: { source: "a.txt", destination: "c.txt" } },
  { surface: "files", tool: "files", input: { command: "write", file_path: "a.txt", content: "b" } },
  { surface: "files", tool: "files", input: { command: "delete", file_path: "a.txt" } },
];

describe("laxer by design", () => {
  it("the page names all of them", () => {
    const sentence = /^Laxer by design[\s\S]*?\n\n/m.exec(page)![0];
    for (const name of new Set(LAX.map(({ surface }) => surface))) expect(sentence).toContain(`\`${name}\``);
    for (const word of ["deletes", "patches", "moves over", "changed after the read", "up to 500 bytes", "writes any"])
      expect(sentence).toContain(word);
  });

  it.each(LAX)("$surface $tool $input: done, and refused where it is strict", async (lax) => {
    const done = await attempt(lax);
    expect(done).toMatchObject({ ok: true });
    if (lax.stale) expect(done.text).toMatch(/changed/);
    const refused = await attempt(lax, { strict: true });
    expect(refused).toMatchObject({ ok: false, error: { kind: expect.stringMatching(/^(unread|stale)_file$/) } });
  });

  it("and nothing else is: every other change of a file that was not seen is refused", async () => {
    const others: readonly (readonly [string, string, object])[] = [
      ["workspace", "write_file", { path: "a.txt", content: "b" }],
      ["workspace", "edit_file", { path: "a.txt", edits: [{ oldText: "third", newText: "last" }] }],
      ["workspace", "create_file", { path: "a.txt", content: "b" }],
      ["workspace", "move_file", { fromPath: "a.txt", toPath: "c.txt" }],
      ["workspace", "delete_file", { path: "a.txt", permanent: true }],
      ["tracked", "Write", { file_path: "a.txt", content: "b" }],
      ["tracked", "Edit", EDIT],
      ["compact", "Edit", { ...EDIT, file_path: "large.txt" }],
    ];
    for (const [surface, tool, input] of others)
      expect(await attempt({ surface, tool, input }), `${surface} ${tool}`).toMatchObject({ ok: false });
  });

  it.each([
    ["as it is: done", TEXT, { ok: true }],
    ["that is another by now: refused", TEXT.replace("second", "SECOND"), { ok: false }],
  ])("anchors edit by the hash of a line, %s", async (_what, now, expected) => {
    const agent = agentOnDisk(anchors, FILES);
    const text = await agent.another("one who reads").text("read_file", { path: "a.txt", hashes: true });
    const hash = /^2#(\w+)/m.exec(text)![1];
    agent.outside("a.txt", now);
    const input = { path: "a.txt", operations: [{ op: "delete_line", hash }] };
    expect(await agent.call("edit", input)).toMatchObject(expected);
    await agent.workspace.close();
    const left = readFileSync(join(agent.root, "a.txt"), "utf8");
    expect(left).toBe(expected.ok ? "first line\nthird line\n" : now);
  });
});

it("every change and every refused one is in the journal; a tool that is not offered cannot be called", async () => {
  expect(page).toContain("those of tools that the policy does not offer;");
  const agent = agentOnDisk(workspace, FILES, { policy: { allowedActions: ["read", "create"] } });
  await agent.call("create_file", { path: "new.txt", content: "x" });
  await agent.call("create_file", { path: "new.txt", content: "y" });
  await agent.call("create_file", { content: 1 });
  expect(await agent.call("delete_file", { path: "new.txt" })).toMatchObject({ ok: false });
  const told: string[] = [];
  for await (const { tool, outcome } of agent.workspace.log()) told.push(`${tool} ${outcome}`);
  await agent.workspace.close();
  expect(told.sort()).toEqual(["create_file applied", "create_file refused", "create_file refused"]);
});

async function threeAtOnce(name: string, extra: object = {}) {
  const surface = surfaceNamed(name);
  const { root, workspace, call: make } = agentOnDisk(surface, FILES);
  const anchored = name === "anchors" ? { hashes: true } : {};
  const read = /^[A-Z]/.test(surface.tools[0]!.name)
    ? await make("Read", { file_path: "a.txt" })
    : await make("read_file", { path: "a.txt", ...anchored });
  const edits = WORDS.map((word, n) => {
    const [oldText, newText] = [`${word} line`, `${word.toUpperCase()} line`];
    if (name === "workspace") {
      const { sha256 } = read.data as { sha256: string };
      return make("edit_file", { path: "a.txt", expectedSha256: sha256, edits: [{ oldText, newText }], ...extra });
    }
    if (name === "filesystem") return make("edit_file", { path: "a.txt", edits: [{ oldText, newText }] });
    if (name !== "anchors") return make("Edit", { file_path: "a.txt", old_string: oldText, new_string: newText });
    const hash = new RegExp(`^${n + 1}#(\\w+)`, "m").exec(read.text)![1];
    return make("edit", { path: "a.txt", operations: [{ op: "replace_line", hash, content: newText }] });
  });
  const results = await Promise.all(edits);
  await workspace.close();
  const outcomes = results.map((result) => (result.ok ? "ok" : result.error.kind));
  return { outcomes, text: readFileSync(join(root, "a.txt"), "utf8") };
}

async function attempt({ surface: name, tool, input, stale }: (typeof LAX)[number], options: object = {}) {
  const agent = agentOnDisk(surfaceNamed(name), FILES, options);
  // Its files are in a store of their own, and there somebody else made this one.
  const made = { command: "write", file_path: "a.txt", content: TEXT };
  if (name === "files") await agent.another("its maker").done("files", made);
  if (stale) await agent.done("Read", { file_path: "a.txt" });
  if (stale) agent.outside("a.txt", TEXT.replace("first", "FIRST"));
  const proof = "expectedSha256" in input ? { expectedSha256: await agent.sha("b.txt") } : {};
  const result = await agent.call(tool, { ...input, ...proof });
  await agent.workspace.close();
  return result;
}
