// A patch moves and deletes links, and never changes where one leads.
import { readlinkSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { openWorkspace } from "../../src/index.ts";
import { call, surfaceNamed } from "../../src/surfaces/index.ts";
import { directoryWith } from "../support/workspace.ts";

const RENAMED = `diff --git a/la b/lb
similarity index 50%
rename from la
rename to lb
--- a/la
+++ b/lb
@@ -1 +1 @@
-a.txt
\\ No newline at end of file
+/etc/passwd
\\ No newline at end of file
`;

it.each([
  [
    "in a later section",
    "*** Begin Patch\n*** Move File: la -> lb\n*** Update File: lb\n@@\n-a.txt\n+/etc/passwd\n*** End Patch",
  ],
  ["while it moves", "*** Begin Patch\n*** Update File: la\n*** Move to: lb\n@@\n-a.txt\n+/etc/passwd\n*** End Patch"],
  ["in a diff of git", RENAMED],
])("a patch that changes where a link leads is refused: %s", async (_way, patch) => {
  const root = directoryWith({ "a.txt": "one\n" });
  symlinkSync("a.txt", join(root, "la"));
  const workspace = openWorkspace({ root, durability: "fast" });
  const result = await call(workspace.session(), surfaceNamed("workspace"), "apply_patch", { patch });
  expect(result).toMatchObject({ ok: false });
  expect(result.text).toContain("which is not supported");
  expect(readlinkSync(join(root, "la"))).toBe("a.txt");
  const moved = "*** Begin Patch\n*** Move File: la -> lb\n*** End Patch";
  expect((await call(workspace.session(), surfaceNamed("workspace"), "apply_patch", { patch: moved })).ok).toBe(true);
  expect(readlinkSync(join(root, "lb"))).toBe("a.txt");
  await workspace.close();
});
