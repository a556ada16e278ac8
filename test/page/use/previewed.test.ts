// Between a preview and the yes to it: what comes in between is not taken back unseen, nor taken for something else.
import { chmodSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { directoryWith, memoryWorkspace, workspaceIn } from "../../support/workspace.ts";
import { enter, openPage } from "../support.ts";

const waived = { proof: { by: "waived" } } as const;
const LINES = Array.from({ length: 30 }, (_, n) => `line ${n + 1}\n`);
const text = (changes: Readonly<Record<number, string>> = {}) =>
  LINES.map((line, n) => changes[n + 1] ?? line).join("");

it("what changes while it is being taken back is seen too: nothing is done on top of it", async () => {
  const workspace = memoryWorkspace({ "a.txt": text() });
  const agent = workspace.session({ agent: "codex" });
  await agent.write("a.txt", text({ 2: "two\n" }), waived);
  let reads = 0;
  let act: { readonly at: number; readonly what: () => Promise<unknown> } | undefined;
  const { read } = workspace.backend;
  const backend: typeof workspace.backend = {
    ...workspace.backend,
    async read(...given) {
      if (++reads === act?.at) await act.what();
      return read(...given);
    },
  };
  const inside = await enter(await openPage(Object.assign(Object.create(workspace), { backend })));
  const what = { w: "work", entry: 1, merge: true };
  const { preview } = await inside.tell("preview", what);
  // after the look that compares with the preview, and before the change itself
  act = { at: 2 * reads + 1, what: () => agent.write("a.txt", text({ 2: "two\n", 20: "twenty\n" }), waived) };
  expect(await inside.tell("undo", { ...what, preview })).toMatchObject({
    kind: "stale_file",
    message: expect.stringContaining("since the preview"),
  });
  expect((await inside.json("timeline")).entries).toMatchObject([{ seq: 2, agent: "codex" }, { seq: 1 }]);
});

it("only the entries that were shown are taken back, also where later ones come to the same", async () => {
  const workspace = memoryWorkspace({ "a.txt": "a\n" });
  const agent = workspace.session({ agent: "codex" });
  await agent.write("a.txt", "b\n", waived);
  const inside = await enter(await openPage(workspace));
  const what = { w: "work", agent: "codex" };
  const { preview, undone } = await inside.tell("preview", what);
  for (const content of ["c\n", "b\n"]) await agent.write("a.txt", content, waived);
  expect(await inside.tell("undo", { ...what, preview, undone })).toMatchObject({ entry: 4 });
  expect((await inside.json("entry", { w: "work", seq: 4 })).of).toEqual([1]);
});

it("later changes are kept by a merge only where that was asked for", async () => {
  const workspace = memoryWorkspace({ "a.txt": text() });
  const agent = workspace.session({ agent: "codex" });
  await agent.write("a.txt", text({ 2: "two\n" }), waived);
  await agent.write("a.txt", text({ 2: "two\n", 20: "twenty\n" }), waived);
  const inside = await enter(await openPage(workspace));
  for (const merge of [undefined, false, "false", 1])
    expect(await inside.tell("preview", { w: "work", entry: 1, merge })).toMatchObject({ kind: "stale_file" });
  expect(await inside.tell("preview", { w: "work", entry: 1, merge: true })).toMatchObject({ count: 1 });
});

it("a preview says of what comes back that it is a link or a program", async () => {
  const root = directoryWith({ "a.txt": "a\n", "run.sh": "echo\n" });
  symlinkSync("a.txt", join(root, "link"));
  chmodSync(join(root, "run.sh"), 0o755);
  const workspace = workspaceIn(root);
  const agent = workspace.session({ agent: "codex" });
  for (const path of ["link", "run.sh", "a.txt"]) await agent.delete(path, waived);
  const inside = await enter(await openPage(workspace));
  const { warnings } = await inside.tell("preview", { w: "work", agent: "codex" });
  expect(warnings.sort()).toEqual([
    "link: a symbolic link (as the journal says)",
    "run.sh: mode 755 (as the journal says)",
  ]);
});
