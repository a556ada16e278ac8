// Seed 000: the code example, as it is written there.
import { createHash } from "node:crypto";
import { describe, expect, expectTypeOf, it } from "vitest";
import { STALE_ACTION } from "../../src/core/failure.ts";
import { Workspace } from "../../src/kernel/workspace.ts";
import { bind } from "../../src/surfaces/bind.ts";
import { workspace, workspaceBySession } from "../../src/surfaces/workspace/index.ts";
import { textAt } from "../../src/testing/assertions.ts";
import { BACKENDS } from "../support/workspace.ts";

const SOURCE = "const PORT = 3000;\nlisten(PORT);\n";

describe.each(BACKENDS)("seed 000: the code example on %s", (_name, make) => {
  it("compiles and runs", async () => {
    const place = new Workspace(make({ "src/server.ts": SOURCE }));
    const tool = bind(workspace, place.session());

    const read = await tool.read_file({ path: "src/server.ts" });
    const result = await tool.edit_file({
      path: "src/server.ts",
      expectedSha256: read.data.sha256,
      edits: [{ oldText: "PORT = 3000", newText: "PORT = 4000" }],
    });
    if (!result.ok && result.error.kind === "stale_file") {
      // Re-read and retry.
    }

    expect(result.ok).toBe(true);
    expect(await textAt(place.backend, "src/server.ts")).toBe(SOURCE.replace("3000", "4000"));
  });

  it("takes the branch for stale_file when the file changed in between; re-reading and retrying works", async () => {
    const place = new Workspace(make({ "src/server.ts": SOURCE }));
    const tool = bind(workspace, place.session());
    const other = bind(workspace, place.session());
    const edits = [{ oldText: "PORT = 3000", newText: "PORT = 4000" }];

    const read = await tool.read_file({ path: "src/server.ts" });
    const content = `// by another\n${SOURCE}`;
    await other.write_file({ path: "src/server.ts", content, expectedSha256: read.data.sha256 });
    let result = await tool.edit_file({ path: "src/server.ts", expectedSha256: read.data.sha256, edits });
    let retried = false;
    if (!result.ok && result.error.kind === "stale_file") {
      expect(result.error.suggestedAction).toBe(STALE_ACTION);
      const again = await tool.read_file({ path: "src/server.ts" });
      result = await tool.edit_file({ path: "src/server.ts", expectedSha256: again.data.sha256, edits });
      retried = true;
    }
    expect([retried, result.ok]).toEqual([true, true]);
    expect(await textAt(place.backend, "src/server.ts")).toBe(content.replace("3000", "4000"));
  });

  it("edit_file needs the sha256, unless the surface is chosen that takes a read in the session as proof", async () => {
    const place = new Workspace(make({ "src/server.ts": SOURCE }));
    const session = place.session();
    const edit = { path: "src/server.ts", edits: [{ oldText: "3000", newText: "4000" }] };
    // @ts-expect-error expectedSha256 is required
    const without = await bind(workspace, session).edit_file(edit);
    expect(without).toMatchObject({ ok: false, error: { kind: "command_failed" } });
    expect(without.text).toContain("`expectedSha256` is missing");

    const relaxed = bind(workspaceBySession, session);
    expect(await relaxed.edit_file(edit)).toMatchObject({ ok: false, error: { kind: "stale_file" } });
    await relaxed.read_file({ path: "src/server.ts" });
    expect(await relaxed.edit_file(edit)).toMatchObject({ ok: true });
  });
});

describe("seed 000: types of the bound tools", () => {
  it("input and data are typed by the schemas", async () => {
    const place = new Workspace(BACKENDS[0]![1]({ a: "1\n" }));
    const tool = bind(workspace, place.session());
    const read = await tool.read_file({ path: "a" });
    expectTypeOf(read.data.sha256).toEqualTypeOf<string>();
    expectTypeOf(read.data.truncated).toEqualTypeOf<boolean>();
    // @ts-expect-error path is a string
    await tool.read_file({ path: 1 }).catch(() => undefined);
    expect(read.data.sha256).toBe(createHash("sha256").update("1\n").digest("hex"));
  });
});
