// What the file `format` of a state says is told only where it is a number: anything else could be meant for a terminal.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { createFile } from "../../src/kernel/verbs.ts";
import { refuses } from "../../src/testing/assertions.ts";
import { opened, usedWorkspace } from "../support/forged.ts";

it.each([
  ["an escape", "\u001b[2Jplanted words\n"],
  ["an escape after a number", "2\u001b[2Jplanted words\n"],
  ["a second line", "2\nplanted words\n"],
  ["words", "planted words\n"],
])("a format with %s is refused without being shown", async (_what, format) => {
  const { root, state } = await usedWorkspace();
  writeFileSync(join(state, "format"), format);
  const workspace = opened(root);
  for (const ask of [() => createFile(workspace.session(), "new.txt", "new\n"), () => workspace.verify()]) {
    const { failure } = await refuses("unsupported", ask);
    expect(failure.message).toContain("a format that is no number; this stet knows format 1");
    expect(JSON.stringify(failure)).not.toMatch(/u001b|planted/);
  }
  await workspace.close();
});

it("a format that is a number is named", async () => {
  const { root, state } = await usedWorkspace();
  writeFileSync(join(state, "format"), "27\n");
  const workspace = opened(root);
  const { failure } = await refuses("unsupported", () => createFile(workspace.session(), "new.txt", "new\n"));
  expect(failure.message).toContain("a format 27;");
  await workspace.close();
});
