// Damage is told by every surface with the result of the change that did it, and nothing else is.
import { compact, files, tracked, workspace } from "stet/surfaces";
import { describe, expect, it } from "vitest";
import { type Agent, agentWith, patchOf } from "../support/agent.ts";

const SOUND = 'export function one() {\n  return { a: 1 };\n}\n\nexport const two = "2";\n';
const DATA = '{\n  "a": 1,\n  "b": [1, 2]\n}\n';
const FILES = {
  "a.ts": SOUND,
  "d.json": DATA,
  "broken.json": "{\n  x\n",
  "n.md": "# A\n\ntext (\n",
  "m.py": "x = (1,\n",
};
const store = files({ mode: "store" });

/** Nobody waits so long; the tests must not depend on how busy the machine is. */
const limits = { checkMs: 60_000 };
const patientAgent = (): Agent => agentWith(workspace, FILES, { limits });

interface Change {
  readonly path: string;
  readonly old: string;
  readonly text: string;
}

/** Every way to change a file, surface by surface: with the words of the result. */
const EDITS: readonly (readonly [string, (agent: Agent, change: Change) => Promise<string>])[] = [
  [
    "workspace edit_file",
    async (agent, { path, old, text }) => {
      const expectedSha256 = await agent.sha(path);
      return agent.text("edit_file", { path, edits: [{ oldText: old, newText: text }], expectedSha256 });
    },
  ],
  [
    "workspace write_file",
    async (agent, { path, old, text }) => {
      const { sha, body } = await agent.session.read(path);
      return agent.text("write_file", { path, content: body.replace(old, text), expectedSha256: sha });
    },
  ],
  [
    "workspace apply_patch",
    (agent, { path, old, text }) => {
      const lines = (sign: string, all: string) => all.split("\n").map((line) => sign + line);
      const hunk = [`*** Update File: ${path}`, "@@", ...lines("-", old), ...lines("+", text)];
      const patch = patchOf(...hunk);
      return agent.text("apply_patch", { patch });
    },
  ],
  [
    "tracked Edit",
    async (agent, { path, old, text }) => {
      await agent.session.read(path);
      return agent.as(tracked).text("Edit", { file_path: path, old_string: old, new_string: text });
    },
  ],
  [
    "tracked Write",
    async (agent, { path, old, text }) => {
      const { body } = await agent.session.read(path);
      return agent.as(tracked).text("Write", { file_path: path, content: body.replace(old, text) });
    },
  ],
  [
    "compact Write",
    async (agent, { path, old, text }) => {
      const { body } = await agent.session.read(path);
      return agent.as(compact).text("Write", { file_path: path, content: body.replace(old, text) });
    },
  ],
  [
    "files edit",
    async (agent, { path, old, text }) => {
      const { body } = await agent.session.read(path);
      await agent.as(store).text("files", { params: { command: "write", file_path: path, content: body } });
      const edit = { command: "edit", file_path: path, old_string: old, new_string: text };
      return agent.as(store).text("files", { params: edit });
    },
  ],
];

describe.each(EDITS)("%s", (_name, change) => {
  it("tells that the text parsed before and does not now", async () => {
    const code = { path: "a.ts", old: "  return { a: 1 };", text: "  return { a: 1 ;" };
    expect(await change(patientAgent(), code)).toMatch(
      /\nWarning: a\.ts, line \d: the file parsed before this edit and does not parse after it: .+ \(oxc\)\./,
    );
    const data = { path: "d.json", old: '  "a": 1,', text: '  "a": 1' };
    expect(await change(patientAgent(), data)).toMatch(/\nWarning: d\.json, line \d: .* does not parse after it/);
  });

  it("tells of a placeholder in the place of text", async () => {
    const left = { path: "a.ts", old: "  return { a: 1 };", text: "  // ... rest of the code unchanged ..." };
    expect(await change(patientAgent(), left)).toMatch(
      /\nWarning: a\.ts, line 2: .* stands for text that was left out\./,
    );
  });

  it("says nothing of a sound change, of what was broken before, of prose", async () => {
    for (const [path, old, text] of [
      ["a.ts", "  return { a: 1 };", "  return { a: 2 };"],
      ["broken.json", "  x", "  y"],
      ["m.py", "x = (1,", "y = (1,"],
      ["n.md", "text (", "text [("],
    ] as const)
      expect(await change(patientAgent(), { path, old, text })).not.toContain("Warning");
  });
});

it("compact Edit tells it too; a placeholder it refuses", async () => {
  const agent = patientAgent();
  const edit = { file_path: "a.ts", old_string: "  return { a: 1 };", new_string: "  return { a: 1 ;" };
  expect(await agent.as(compact).text("Edit", edit)).toContain("does not parse after it");
});

it("a new file that does not parse", async () => {
  const agent = patientAgent();
  expect(await agent.text("create_file", { path: "new.json", content: "{" })).toContain(
    "Warning: new.json, line 1: the new file does not parse",
  );
  expect(await agent.text("create_file", { path: "fine.json", content: "{}" })).not.toContain("Warning");
});

it("nothing of what is merely unusual", async () => {
  const words = "const the = very.same(words);";
  const twice = SOUND.replace("  return { a: 1 };", `  ${words}`).concat(`${words}\n`);
  const content = { path: "a.ts", content: twice };
  const agent = patientAgent();
  const { sha } = await agent.session.read("a.ts");
  expect(await agent.text("write_file", { ...content, expectedSha256: sha })).not.toContain("Warning");
  // Of a new file that does not parse, the count of its brackets says nothing more.
  const created = await agent.text("create_file", { path: "new.ts", content: "function a( {\n" });
  expect(created.split("\n").filter((line) => line.startsWith("Warning"))).toEqual([
    expect.stringContaining("the new file does not parse"),
  ]);
});

it("nothing of a file that was broken before it was moved", async () => {
  const move = ["*** Update File: broken.json", "*** Move to: moved.json"];
  const patch = patchOf(...move);
  expect(await patientAgent().text("apply_patch", { patch })).not.toContain("Warning");
});

it("of a file that was moved and damaged in one patch, against what it was before it moved", async () => {
  const moved = (path: string, to: string, hunk: string) =>
    patientAgent().text("apply_patch", {
      patch: `*** Begin Patch\n*** Update File: ${path}\n*** Move to: ${to}\n@@\n${hunk}\n*** End Patch`,
    });
  expect(await moved("d.json", "e.json", "-}")).toMatch(/\nWarning: e\.json, line \d: .* does not parse after it/);
  expect(await moved("broken.json", "e.json", "-  x\n+  y")).not.toContain("Warning");
});

it("of several files of a patch, each that was damaged", async () => {
  const hunks = ["a.ts", "d.json"].map((path) => `*** Update File: ${path}\n@@\n-}`);
  const patch = patchOf(...hunks);
  const text = await patientAgent().text("apply_patch", { patch });
  expect(text).toMatch(/Warning: a\.ts, line \d.*\nWarning: d\.json, line \d/);
});

it("a file of megabytes is not looked at", async () => {
  const big = `[${"1,\n".repeat(300_000)}1]\n`;
  const agent = agentWith(tracked, { "big.json": big }, { limits });
  await agent.session.read("big.json");
  const edit = { file_path: "big.json", old_string: "1]\n", new_string: "1\n" };
  expect(await agent.text("Edit", edit)).not.toContain("Warning");
});
