// What a crash left unfinished is finished where the policy allows any change of the file, not only where it allows all.
import { appendFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { disk } from "../../src/backends/disk/index.ts";
import { seal } from "../../src/backends/journal/entry.ts";
import type { PolicyInput } from "../../src/kernel/policy/policy.ts";
import { createFile } from "../../src/kernel/verbs.ts";
import { Workspace } from "../../src/kernel/workspace.ts";
import { all, path, version } from "../../src/testing/assertions.ts";
import { pendingPath } from "../support/forged.ts";
import { directoryWith } from "../support/workspace.ts";

const [BEFORE, AFTER] = ["as it was before\n", "as the edit left it\n"];

/** The entry of the edit is written and its new version staged, and then the process died. */
async function withUnfinishedEdit(): Promise<string> {
  const root = directoryWith({ "edited.txt": BEFORE });
  const workspace = new Workspace(disk({ root, durability: "fast" }));
  await createFile(workspace.session(), "first.txt", "first\n");
  const [first] = await all(workspace.log());
  await workspace.close();
  const changes = [
    {
      path: path("edited.txt"),
      from: version(BEFORE).sha,
      to: version(AFTER).sha,
      toSize: AFTER.length,
      proof: "session",
    },
  ];
  const { line } = seal(
    { session: "s", tool: "edit_file", outcome: "applied", changes },
    { seq: 2, at: new Date().toISOString(), prev: first!.hash },
  );
  appendFileSync(join(root, ".stet/journal/0000000000000001.jsonl"), `${line}\n`);
  writeFileSync(pendingPath(root, 2, 0, "new"), AFTER);
  return root;
}

async function nextChange(root: string, policy: PolicyInput): Promise<readonly string[]> {
  const workspace = new Workspace(disk({ root, durability: "fast" }), { policy });
  const { warnings } = await createFile(workspace.session(), "next.txt", "next\n");
  await workspace.close();
  return warnings;
}

it("an unfinished edit is finished under a policy that allows edits and no deletion", async () => {
  const root = await withUnfinishedEdit();
  expect(await nextChange(root, { allowedActions: ["read", "create", "edit"] })).toEqual([]);
  expect(readFileSync(join(root, "edited.txt"), "utf8")).toBe(AFTER);
  expect(existsSync(join(root, ".stet/aside"))).toBe(false);
});

it("it is set aside where the policy allows no change of the file", async () => {
  const root = await withUnfinishedEdit();
  const warnings = await nextChange(root, { deniedPaths: ["edited.txt"] });
  expect(warnings.join()).toContain("the policy does not allow a change of 'edited.txt'");
  expect(readFileSync(join(root, "edited.txt"), "utf8")).toBe(BEFORE);
});
