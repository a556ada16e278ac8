// The sha256 in a refusal of a stale file: only with a diff that shows all that changed, and then it works at once.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { disk } from "../../src/backends/disk/index.ts";
import { versionOf } from "../../src/core/version.ts";
import type { WorkspaceOptions } from "../../src/kernel/workspace.ts";
import { deskOn, type ToolName } from "../seeds/000-calls.ts";
import { directoryWith } from "../support/workspace.ts";

const numbered = (word: string) => `first\n${Array.from({ length: 2000 }, (_, n) => `${word} ${n}\n`).join("")}`;
const shaOf = (text: string) => versionOf([Buffer.from(text)]).sha;
const patch = (...lines: readonly string[]) => ["*** Begin Patch", ...lines, "*** End Patch"].join("\n");

const CALLS: readonly (readonly [ToolName, (sha: string) => Record<string, unknown>, again: string])[] = [
  ["write_file", (expectedSha256) => ({ path: "f", content: "x\n", expectedSha256 }), "and write that"],
  [
    "edit_file",
    (expectedSha256) => ({ path: "f", edits: [{ oldText: "first", newText: "1st" }], expectedSha256 }),
    "Re-apply your edit",
  ],
  [
    "apply_patch",
    (sha) => ({
      patch: patch("*** Update File: f", "@@", "-first", "+1st"),
      expectedSha256ByPath: { f: sha },
    }),
    "Send the patch again",
  ],
  ["move_file", (expectedSha256) => ({ fromPath: "f", toPath: "g", expectedSha256 }), "Move it"],
  ["delete_file", (expectedSha256) => ({ path: "f", expectedSha256 }), "Delete it"],
];

async function changedBy(before: string, after: string, options: WorkspaceOptions = {}) {
  const root = directoryWith({ f: before });
  const desk = deskOn(disk({ root, durability: "fast" }), options);
  const seen = await desk.sha("f");
  writeFileSync(join(root, "f"), after);
  return { desk, seen };
}

describe.each(CALLS)("a stale %s", (tool, input, again) => {
  it("is told the sha256 with a whole diff, and goes through with it", async () => {
    const { desk, seen } = await changedBy("first\nsecond\n", "first\nzweite\n");
    const { text, suggestedAction } = await desk.no(tool, input(seen));
    expect(text).toContain(`${again} with the sha256 below if that is still right.`);
    expect(text).not.toContain("Re-read");
    expect(suggestedAction).toContain("Re-read the file to obtain the current sha256");
    const [, sha = ""] = /\nThe sha256 is (\w+) now\.$/.exec(text) ?? [];
    await desk.ok(tool, input(sha));
  });

  it.each([
    ["of many lines", numbered("line"), numbered("LINE")],
    ["of a long line", "first\n", `first\n${"x".repeat(3000)}\n`],
  ])("is told none with a diff %s that was cut", async (_what, before, after) => {
    const { desk, seen } = await changedBy(before, after);
    const refused = await desk.no(tool, input(seen));
    expect(refused.kind).toBe("stale_file");
    expect(JSON.stringify(refused)).not.toContain(shaOf(after));
    expect(refused.text).toContain("Re-read the file to obtain the current sha256");
  });

  it("is told none where the version it names is not known", async () => {
    const { desk } = await changedBy("first\n", "first\n");
    const refused = await desk.no(tool, input("0".repeat(64)));
    expect(JSON.stringify(refused)).not.toContain(shaOf("first\n"));
    expect(refused.text).toContain("Re-read the file to obtain the current sha256");
  });

  it("is told none in a strict workspace, where the file must be read", async () => {
    const { desk, seen } = await changedBy("first\n", "first\nsecond\n", { strict: true });
    const refused = await desk.no(tool, input(seen));
    expect(refused.text).toContain("+second");
    expect(JSON.stringify(refused)).not.toContain(shaOf("first\nsecond\n"));
  });
});

it("a file that is in the way of a new one is told without its sha256", async () => {
  const { desk } = await changedBy("first\n", "first\n");
  for (const [tool, input] of [
    ["create_file", { path: "f", content: "x" }],
    ["apply_patch", { patch: patch("*** Add File: f", "+x") }],
    ["apply_patch", { patch: patch("*** Add File: f", "+x"), expectedSha256ByPath: { f: "" } }],
    ["apply_patch", { patch: patch("*** Add File: f", "+x"), expectedSha256ByPath: { f: "0".repeat(64) } }],
  ] as const)
    expect(JSON.stringify(await desk.no(tool, input))).not.toContain(shaOf("first\n"));
});
