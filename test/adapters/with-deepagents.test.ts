// deepagents with stet as its storage: its own tools, led by a scripted model.
import { linkSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { deepagentsBackend } from "stet/adapters/deepagents";
import { describe, expect, it } from "vitest";
import { answersIn, edit, heard, read, type Steps, work, write } from "./models/deepagents.ts";
import { CASES, type Call, open, PIXEL } from "./support/cases.ts";
import { runsExample } from "./support/example.ts";

describe("deepagents: storage", () => {
  it(CASES.loop, async () => {
    const { root, workspace } = open({ "a.txt": "one\r\ntwo\r\n" });
    const session = workspace.session({ agent: "deepagents" });
    const answers = await work(session, [
      edit("/a.txt", "one", "ONE"),
      read("/a.txt"),
      edit("/a.txt", "one", "ONE"),
      () => writeFileSync(join(root, "a.txt"), "ONE\r\nZWEI\r\n"),
      edit("/a.txt", "two", "TWO"),
      read("/a.txt"),
      edit("/a.txt", "ONE\nZWEI", "1\nTWO"),
      ["write_file", { file_path: "/new/b.txt", content: "new\n" }],
      edit("/new/b.txt", "new", "newer"),
      ["delete", { file_path: "/new" }],
    ]);
    expect(answers).toEqual([
      expect.stringMatching(/^Edit rejected, file unchanged\. .*Read it first/),
      expect.stringContaining("one"),
      "Successfully replaced 1 occurrence(s) in '/a.txt'",
      expect.stringMatching(/^Edit rejected, file unchanged\. [\s\S]*Read it again[\s\S]*\+ZWEI/),
      expect.stringContaining("ZWEI"),
      "Successfully replaced 1 occurrence(s) in '/a.txt'",
      "Successfully wrote to '/new/b.txt'",
      "Successfully replaced 1 occurrence(s) in '/new/b.txt'",
      "Deleted /new",
    ]);
    expect(readFileSync(join(root, "a.txt"), "utf8")).toBe("1\r\nTWO\r\n");
    let last = 0;
    for await (const { seq, outcome, tool, agent } of workspace.log()) {
      if (outcome !== "applied") continue;
      expect([tool, agent]).toEqual([expect.stringMatching(/^(?:edit_file|write_file|delete)$/), "deepagents"]);
      last = seq;
    }
    await session.undo({ entry: last });
    expect(readFileSync(join(root, "new/b.txt"), "utf8")).toBe("newer\n");
    await workspace.close();
  });

  it("loses no line that was never shown", async () => {
    const lines = Array.from({ length: 300 }, (_, n) => `line ${n + 1}\n`).join("");
    const { root, workspace } = open({ "a.txt": lines });
    const write: Call = ["write_file", { file_path: "/a.txt", content: "short\n" }];
    const answers = await work(workspace.session(), [
      write,
      read("/a.txt", { limit: 10 }),
      write,
      () => expect(readFileSync(join(root, "a.txt"), "utf8")).toBe(lines),
      read("/a.txt", { offset: 10, limit: 300 }),
      write,
    ]);
    expect(answers[0]).toMatch(/^Nothing was written\. .*Read it first/);
    expect(answers[2]).toMatch(/^Nothing was written\. .*11.*Read the rest of it first/);
    expect(answers.at(-1)).toBe("Successfully wrote to '/a.txt'");
    expect(readFileSync(join(root, "a.txt"), "utf8")).toBe("short\n");
    await workspace.close();
  });

  it("has its memory whole, and what it looks up for itself does not count as shown", async () => {
    const skill = "---\nname: tidy\ndescription: How to tidy up.\n---\nThe whole skill.\n";
    const memory = `${"a rule\n".repeat(700)}the last rule\n`;
    const { root, workspace } = open({ "AGENTS.md": memory, "skills/tidy/SKILL.md": skill });
    const steps: Steps = [["write_file", { file_path: "/skills/tidy/SKILL.md", content: "gone\n" }]];
    const messages = await heard(workspace.session(), steps, { memory: ["/AGENTS.md"], skills: ["/skills/"] });
    expect(messages[0]!.text).toContain("the last rule");
    expect(messages[0]!.text).toContain("How to tidy up.");
    expect(messages.at(-1)!.text).toMatch(/^Nothing was written\. .*Read it first/);
    expect(readFileSync(join(root, "skills/tidy/SKILL.md"), "utf8")).toBe(skill);
    await workspace.close();
  });

  it("lists, finds and searches, and stays in the workspace", async () => {
    const { workspace } = open({ "a.ts": "export const one = 1;\n", "src/b.ts": "one();\n", ".env": "SECRET=one\n" });
    const session = workspace.session();
    await session.create("dot.png", PIXEL);
    const answers = await work(session, [
      ["ls", { path: "/" }],
      ["glob", { pattern: "**/*.ts" }],
      ["grep", { pattern: "one", glob: "*.ts" }],
      read("/dot.png"),
      read("/../../etc/passwd"),
      read("/none.txt"),
      read("/a.ts", { offset: 7 }),
      ["ls", { path: "/none" }],
      ["delete", { file_path: "/none.txt" }],
    ]);
    expect(answers).toEqual([
      "/src/ (directory)\n/a.ts (22 bytes)\n/dot.png (70 bytes)",
      "/a.ts\n/src/b.ts",
      expect.stringMatching(/\/a\.ts[\s\S]*1[\s\S]*\/src\/b\.ts/),
      "[image]",
      expect.stringMatching(/^Error: Nothing was read\. /),
      expect.stringMatching(/^Error: Nothing was read\. .*does not exist/),
      expect.stringMatching(/^Error: Nothing was read\. The file has 1 line/),
      expect.stringMatching(/Nothing was listed\. There is no directory none/),
      expect.stringMatching(/Nothing was deleted\. .*does not exist/),
    ]);
    await workspace.close();
  });

  it(CASES.picture, async () => {
    const { root, workspace } = open({});
    writeFileSync(join(root, "dot.png"), PIXEL);
    expect(await work(workspace.session(), [read("/dot.png")])).toEqual(["[image]"]);
    await workspace.close();
  });

  it("what deepagents cuts off a long line does not count as shown", async () => {
    const line = "x".repeat(300_000);
    const { root, workspace } = open({ "a.txt": `${line}\n` });
    const answers = await work(workspace.session(), [
      read("/a.txt"),
      ["write_file", { file_path: "/a.txt", content: "gone\n" }],
    ]);
    expect(answers[0]!.length).toBeLessThan(100_000);
    expect(answers[1]).toMatch(/Nothing was written\. .*never shown/);
    expect(readFileSync(join(root, "a.txt"), "utf8")).toBe(`${line}\n`);
    await workspace.close();
  });

  it("what is refused is in the journal", async () => {
    const { root, workspace } = open({ "a.txt": "one\n", "b.txt": "two\n" });
    const backend = deepagentsBackend(workspace.session());
    linkSync(join(root, "b.txt"), join(root, "other.txt"));
    await backend.edit("/a.txt", "", "x");
    await backend.edit("/b.txt", "two", "x");
    await backend.write("/b.txt", "x");
    await backend.delete("/");
    expect(await backend.write("/c.txt", undefined as never)).toEqual({ error: expect.stringMatching(/no text/) });
    const entries: string[] = [];
    for await (const { tool, outcome, error } of workspace.log()) entries.push(`${tool} ${outcome} ${error}`);
    expect(entries).toEqual([
      "edit_file refused empty_old_text",
      "edit_file refused unsupported",
      "write_file refused unsupported",
      "delete refused permission_denied",
      "write_file refused invalid_input",
    ]);
    await workspace.close();
  });

  it(CASES.wrong, async () => {
    const { root, workspace } = open({ "a.txt": "one\n" });
    const answers = await work(workspace.session(), [
      ["read_file", { file_path: 7 }],
      read("/a.txt", { offset: -5, limit: 0 }),
      read("/a.txt"),
      edit("/a.txt", "", "x"),
      ["edit_file", { file_path: "/a.txt" }],
      ["write_file", { file_path: "/", content: "x" }],
      ["write_file", { file_path: "/a.txt/b.txt", content: "x" }],
      ["grep", { pattern: "" }],
      ["glob", { pattern: "[" }],
    ]);
    expect(answers).toEqual([
      expect.stringMatching(/^Error[\s\S]*file_path/),
      expect.any(String),
      expect.stringContaining("one"),
      expect.stringMatching(/^(?:Error: )?Edit rejected, file unchanged\. The text to replace is empty\./),
      expect.stringMatching(/^Error[\s\S]*old_string/),
      ...Array.from({ length: 2 }, () => expect.stringMatching(/^(?:Error: )?Nothing was written\. /)),
      expect.any(String),
      expect.any(String),
    ]);
    expect(readFileSync(join(root, "a.txt"), "utf8")).toBe("one\n");
    await workspace.close();
  });

  it(CASES.parallel, async () => {
    const words = ["alpha", "bravo", "charlie", "delta"];
    const { root, workspace } = open({ "a.txt": words.map((word) => `${word} old\n`).join("") });
    const answers = await work(workspace.session({ agent: "one" }), [
      read("/a.txt"),
      words.map((word) => edit("/a.txt", `${word} old`, `${word} new`)),
    ]);
    expect(answers.slice(1)).toEqual(words.map(() => "Successfully replaced 1 occurrence(s) in '/a.txt'"));
    expect(readFileSync(join(root, "a.txt"), "utf8")).toBe(words.map((word) => `${word} new\n`).join(""));
    await workspace.close();
  });

  it(CASES.agents, async () => {
    const { root, workspace } = open({ "a.txt": "one\n" });
    const [one, two] = [workspace.session({ agent: "one" }), workspace.session({ agent: "two" })];
    await work(one, [read("/a.txt")]);
    const [refused] = await work(two, [edit("/a.txt", "one", "two")]);
    expect(refused).toMatch(/Read it first/);
    await work(two, [read("/a.txt"), edit("/a.txt", "one", "two")]);
    const [stale] = await work(one, [edit("/a.txt", "one", "three")]);
    expect(stale).toMatch(/Read it again[\s\S]*\+two/);
    expect(readFileSync(join(root, "a.txt"), "utf8")).toBe("two\n");
    await workspace.close();
  });
});

it("the example does it, and takes it back", () => runsExample("deepagents"));

it("takes no path that deepagents' own rules do not see", async () => {
  const { root, workspace } = open({ "private/k.txt": "top\n", "a.txt": "one\n" });
  const permissions = [{ operations: ["read", "write"], paths: ["/private/**"], mode: "deny" }] as never;
  const paths = [
    "/private/k.txt",
    "//private/./k.txt",
    "/./private/k.txt",
    `${root}/private/k.txt`,
    `/${root}/private/k.txt`,
  ];
  const steps = [...paths.flatMap((path) => [read(path), write(path, "x")]), read("/a.txt")];
  const answers = answersIn(await heard(workspace.session(), steps, { permissions }));
  expect(answers.join("\n")).not.toContain("top");
  expect(answers.at(-1)).toContain("one");
  expect(readFileSync(join(root, "private/k.txt"), "utf8")).toBe("top\n");
  await workspace.close();
});
