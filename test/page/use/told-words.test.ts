// What agents were told may quote a file: not shown to visitors from whom the policy hides it, nor to anyone once it is purged.
import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { listTrash, purge, restore, type Session, Workspace } from "stet";
import { disk } from "stet/backends/disk";
import { serveOverHttp } from "stet/serve";
import { call, workspace as surface } from "stet/surfaces";
import { expect, it } from "vitest";
import { all } from "../../support/assertions.ts";
import { stet } from "../../support/cli.ts";
import { directoryWith, workspaceIn } from "../../support/workspace.ts";
import { closing, enter, openPage, pageFolder } from "../support.ts";

const SECRET = "password is long enough to be alike = hunter2";
const FILES = {
  "private/s.txt": `line alpha\n${SECRET}\nline gamma delta\n`,
  "open.txt": `line alpha\n${SECRET}\nline gamma delta\n`,
  "list.txt": "x\n",
};
const ALIKE = `line alpha\n${SECRET.replace("hunter2", "nope")}\nline gamma delta\n`;
const waived = { proof: { by: "waived" } } as const;

/** Refused, with the lines of the file that are most alike. */
async function refusedEdit(session: Session, path: unknown): Promise<void> {
  const { sha } = typeof path === "string" ? await session.read(path) : { sha: "0".repeat(64) };
  const input = { path, expectedSha256: sha, edits: [{ oldText: ALIKE, newText: "x" }] };
  const answer = await call(session, surface, "edit_file", input);
  expect(answer.ok).toBe(false);
  if (typeof path === "string") expect(answer.text).toContain("hunter2");
}

function directory(): string {
  const root = directoryWith(FILES);
  symlinkSync("private/s.txt", join(root, "link.txt"));
  symlinkSync("private", join(root, "also"));
  symlinkSync("../open.txt", join(root, "private/way"));
  return root;
}

it("a visitor with a token is shown the words only if every file they may be about is known and may be read", async () => {
  const root = directory();
  const backend = disk({ root, durability: "fast" });
  const agent = new Workspace(backend).session({ agent: "codex" });
  const shown = ["open.txt", "./private/../open.txt", join(root, "open.txt"), `${"./".repeat(600)}open.txt`];
  const detours = ["private/s.txt", `${"./".repeat(600)}private/s.txt`, "link.txt", "also/s.txt", "private/way"];
  for (const path of [...shown, ...detours, { a: 1 }]) await refusedEdit(agent, path);
  const many = (n: number) => Array.from({ length: n }, () => "*** Update File: open.txt\n@@\n-no\n+x\n");
  const named = Array.from({ length: 21 }, (_, n) => `*** Update File: f${n}.txt\n@@\n-no\n+x\n`);
  for (const files of [many(1), named, ["*** Update File: ../out.txt\n@@\n-no\n+x\n"]])
    await call(agent, surface, "apply_patch", { patch: `*** Begin Patch\n${files.join("")}*** End Patch` });
  const header = `--- "a/private/s.txt"\n+++ "b/private/s.txt"\n@@ -1 +1 @@\n-${SECRET}\n`;
  await call(agent, surface, "apply_patch", { patch: header, expectedSha256ByPath: SECRET });
  await call(agent, surface, "apply_patch", { patch: `*** Update File: open.txt\n  ${header}` });
  const old = { session: "s", tool: "t", outcome: "refused", changes: [], error: "old_text_not_found" } as const;
  await backend.record({ ...old, details: { paths: ["open.txt"], told: SECRET } });
  await backend.record({ ...old, details: { paths: ["open.txt"], told: SECRET, files: [] } });
  const count = (await all(backend.log({}))).length;
  expect(count).toBe(17);

  const workspace = new Workspace(backend, { policy: { deniedPaths: ["private/**"] } });
  const tokens = [{ name: "bob", token: "bob-0123456789abcdef" }];
  const serving = closing(
    await serveOverHttp(
      { surface, served: [{ name: "work", workspace }], version: "0.0.0" },
      { tokens, page: { person: "ada", assets: await pageFolder() } },
    ),
  );
  closing(workspace);
  const url = serving.url.replace("/mcp", "");
  const owner = await enter({ url, secret: new URL(serving.pageLink!).hash.replace("#secret=", "") });
  const viewer = await enter({ url, secret: tokens[0]!.token });
  const entries = async (who: typeof owner) =>
    Promise.all(Array.from({ length: count }, (_, n) => who.json("entry", { w: "work", seq: n + 1 })));
  const told = (found: { told?: string }[]) => found.flatMap((each, n) => (each.told === undefined ? [] : [n + 1]));
  expect(told(await entries(owner))).toHaveLength(count);
  const seen = await entries(viewer);
  expect(told(seen)).toEqual([1, 2, 3, 4, 11]);
  expect(JSON.stringify(seen.slice(4))).not.toContain("hunter2");
  for (const { details } of seen) expect(details.map(([name]: [string]) => name)).not.toContain("files");
});

/** What each makes purged, and how many refusals there are whose words must go. */
const PURGED: readonly (readonly [string, (session: Session) => Promise<void>])[] = [
  ["of a long detour", (session) => refusedEdit(session, `${"./".repeat(600)}private/s.txt`)],
  ["of a link", (session) => refusedEdit(session, "link.txt")],
  ["of a link to its directory", (session) => refusedEdit(session, "also/s.txt")],
  ["without a file", (session) => refusedEdit(session, { a: 1 })],
  [
    "after it was deleted",
    async (session) => {
      const { sha } = await session.read("private/s.txt");
      await session.delete("private/s.txt");
      await session.create("private/s.txt", "another\n");
      await stale(session, "private/s.txt", sha);
    },
  ],
  [
    "after it was moved away",
    async (session) => {
      const { sha } = await session.read("private/s.txt");
      await session.move("private/s.txt", "t.txt");
      await session.create("private/s.txt", "another\n");
      await stale(session, "private/s.txt", sha);
      await session.delete("t.txt", waived);
    },
  ],
  [
    "before it was restored under another name",
    async (session) => {
      await refusedEdit(session, "private/s.txt");
      await session.delete("private/s.txt", waived);
      await restore(session, "private/s.txt", { to: "back.txt" });
      await session.delete("back.txt", waived);
    },
  ],
];

async function stale(session: Session, path: string, sha: string): Promise<void> {
  const input = { path, expectedSha256: sha, edits: [{ oldText: "another", newText: "x" }] };
  const answer = await call(session, surface, "edit_file", input);
  expect(answer.text).toContain("hunter2");
}

it.each(PURGED)("of a file that was purged no words are shown to anyone: %s", async (_, act) => {
  const root = directory();
  const workspace = workspaceIn(root);
  const session = workspace.session({ agent: "codex" });
  await act(session);
  await refusedEdit(session, "open.txt");
  const inside = await enter(await openPage(workspace));
  const refused = (await all(workspace.log({ outcomes: ["refused"] }))).map(({ seq }) => seq);
  const page = () => Promise.all(refused.map(async (seq) => (await inside.json("entry", { w: "work", seq })).told));
  const show = async () => {
    const runs = refused.flatMap((seq) => [["show", `${seq}`], ["show", `${seq}`, "--json"]]); // biome-ignore format: a pair
    return Promise.all(runs.map(async (args) => /agent got this answer|"told"/.test((await stet(args, { cwd: root })).out)));
  };
  expect((await page()).map((told) => told !== undefined)).toEqual([true, true]);
  expect(await show()).toEqual([true, true, true, true]);
  const trash = await all(listTrash(workspace));
  if (trash.length === 0) await session.delete("private/s.txt", waived);
  for (const { id } of await all(listTrash(workspace))) await purge(session, id);
  expect((await page()).map((told) => told !== undefined)).toEqual([false, true]);
  expect(await show()).toEqual([false, false, true, true]);
});
