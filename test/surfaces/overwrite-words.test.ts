// What a whole new text is said to have overwritten: nothing where it changed nothing, and only what is true.
import { createHash } from "node:crypto";
import { expect, it } from "vitest";
import type { WorkspaceOptions } from "../../src/kernel/workspace.ts";
import { anchors, call, compact, type Surface, tracked, workspace } from "../../src/surfaces/index.ts";
import { memoryWorkspace } from "../support/workspace.ts";

const shaOf = (text: string) => createHash("sha256").update(text).digest("hex");
const OLD = "alpha\nbeta\ngamma\n";
const NEWER = `${OLD}delta\n`;

function open(options?: WorkspaceOptions) {
  const space = memoryWorkspace({ a: OLD, tiny: "abc\n" }, options);
  const session = space.session();
  return {
    session,
    outside: async () => {
      const other = space.session();
      await other.read("a");
      await other.change([{ path: "a", proof: { by: "session" }, action: "write" }], () => [{ body: NEWER }]);
    },
    use: (surface: Surface, tool: string, input: object) => call(session, surface, tool, input),
  };
}
type Desk = ReturnType<typeof open>;

const WRITERS: readonly (readonly [string, (desk: Desk, content: string) => ReturnType<Desk["use"]>])[] = [
  ["compact", ({ use }, content) => use(compact, "Write", { file_path: "a", content })],
  ["tracked", ({ use }, content) => use(tracked, "Write", { file_path: "a", content })],
  ["anchors", ({ use }, content) => use(anchors, "write_file", { path: "a", content })],
];

it.each(WRITERS)(
  "%s: the text that is there already overwrites nothing, whatever was read before",
  async (_name, write) => {
    const stale = open();
    await stale.session.read("a");
    await stale.outside();
    expect(await write(stale, NEWER)).toMatchObject({ ok: true, data: { warnings: [] } });
    const partly = open();
    await partly.session.read("a", { from: 1, to: 1 });
    expect(await write(partly, OLD)).toMatchObject({ ok: true, data: { warnings: [] } });
    expect(await write(partly, NEWER)).toMatchObject({ ok: true, data: { warnings: [] } });
  },
);

it.each(WRITERS)("%s: a newer version that was overwritten is called newer, not never shown", async (_name, write) => {
  const desk = open();
  await desk.session.read("a");
  await desk.outside();
  const { text } = await write(desk, "omega\n");
  expect(text.match(/Warning: .*/g)).toEqual([expect.stringMatching(/^Warning: a had changed since it was read/)]);
});

it("anchors: a file that was not read and stays as it is keeps its anchors", async () => {
  const { use } = open();
  const same = await use(anchors, "write_file", { path: "a", content: OLD });
  expect(same).toMatchObject({ ok: true, data: { anchors_invalidated: false, warnings: [] } });
  expect(same.text).toMatch(/^No change in a: 3 lines, 17 bytes\.\nFile version: fv_/);
  expect(same.text).not.toContain("invalid");
  const other = await use(anchors, "write_file", { path: "a", content: NEWER });
  expect(other.text).toContain("\nAnchors read before are invalid.");
});

it("workspace: a rebased text that adds nothing is not called applied", async () => {
  for (const content of [NEWER, OLD]) {
    const desk = open();
    await desk.session.read("a");
    await desk.outside();
    const stale = { path: "a", content, expectedSha256: shaOf(OLD), onStale: "rebase" };
    const { text } = await desk.use(workspace, "write_file", stale);
    expect(text).toBe(
      `No change: your content changes nothing in a, sha256=${shaOf(NEWER)}\n` +
        "Warning: a had changed since the version you named; your edit changes nothing in the newer version.",
    );
  }
});

it("strict: a sha256 of a version that the session has not read is told from lines that were never shown", async () => {
  const desk = open({ strict: true });
  await desk.session.read("a");
  await desk.outside();
  const write = { path: "a", content: "omega\n", expectedSha256: shaOf(NEWER) };
  const refused = await desk.use(workspace, "write_file", write);
  expect(refused.text).toMatch(/a has changed since this session read it.* Read it again first/);
});

it("compact: a strict workspace does not call a small file large", async () => {
  const edit = { file_path: "tiny", old_string: "abc", new_string: "abd" };
  const refused = await open({ strict: true }).use(compact, "Edit", edit);
  expect(refused.text).toBe("Edit rejected, file unchanged. tiny has not been read in this session. Read it first.");
});

it("only text that was not found is laid to a file that has changed since: every other no keeps its own advice", async () => {
  const desk = open();
  await desk.session.read("a");
  await desk.outside();
  const edit = (old_string: string, new_string: string) => ({ file_path: "a", old_string, new_string });
  const same = await desk.use(compact, "Edit", edit("alpha", "alpha"));
  expect(same).toMatchObject({ ok: false });
  expect(same.text).not.toContain("has changed since");
  expect(same.text).toContain("Give the new text with the change in it.");
  expect((await desk.use(compact, "Edit", edit("omega", "x"))).text).toContain("has changed since");
});
