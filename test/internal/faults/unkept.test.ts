// A version that the store had no room for when it was written: closing says so, and the next read keeps it.
import fs from "node:fs";
import { join } from "node:path";
import type { Workspace } from "stet";
import { afterEach, expect, it, vi } from "vitest";
import { all, version } from "../../support/assertions.ts";
import { tempDir } from "../../support/temp.ts";
import { workspaceIn } from "../../support/workspace.ts";

const { sha } = version("precious\n");
const open = (root: string) => workspaceIn(root);
const kept = async ({ backend }: Workspace) => (await all(backend.kept())).map((each) => each.sha);

afterEach(() => vi.restoreAllMocks());

/** No new file of the store can be made until this is called. */
function fullStore(): () => void {
  const { openSync } = fs;
  const full = Object.assign(new Error("ENOSPC: no space left on device"), { code: "ENOSPC", errno: -28 });
  const spy = vi.spyOn(fs, "openSync").mockImplementation((path, ...how) => {
    if (String(path).endsWith(sha)) throw full;
    return openSync(path, ...how);
  });
  return () => spy.mockRestore();
}

it("close tells which version could not be kept, and the next read of the file keeps it", async () => {
  const root = tempDir();
  const warned = vi.spyOn(process, "emitWarning").mockImplementation(() => undefined);
  const free = fullStore();
  const first = open(root);
  await first.session().create("a.txt", "precious\n");
  await first.close();
  free();
  expect(warned.mock.calls.map(([text]) => text)).toEqual([expect.stringMatching(/a\.txt.*no space left.*read/is)]);

  const second = open(root);
  await second.session().read("a.txt");
  expect(await kept(second)).toEqual([sha]);
  fs.writeFileSync(join(root, "a.txt"), "from another program\n");
  expect(await second.backend.recall(sha)).not.toBeNull();
  await second.close();
  expect(warned).toHaveBeenCalledTimes(1);
});

it("a program that goes on keeps the version as soon as there is room, without another change", async () => {
  const root = tempDir();
  const free = fullStore();
  const workspace = open(root);
  await workspace.session().create("a.txt", "precious\n");
  const objects = join(root, ".stet", "objects");
  await vi.waitFor(() =>
    expect(fs.openSync).toHaveBeenCalledWith(expect.stringContaining(sha), expect.anything(), 0o600),
  );
  free();
  await vi.waitFor(() => expect(fs.readdirSync(objects)).toEqual([sha]), { timeout: 10_000 });
  await workspace.close();
});
