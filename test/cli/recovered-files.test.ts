// A commit that a killed process left behind: what the next one makes of its files, and what it says of them.
import { spawnSync } from "node:child_process";
import { readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { openWorkspace } from "stet";
import { expect, it } from "vitest";
import { refuses } from "../support/assertions.ts";
import { historyIn } from "../support/history-place.ts";
import { tempDir } from "../support/temp.ts";

const MAIN = fileURLToPath(new URL("../../dist/bin/stet.cjs", import.meta.url));

it("a new file has the permissions that the umask leaves, also where a recovery makes it", () => {
  const [root, home] = [tempDir(), tempDir()];
  const call = (tool: string, path: string) => {
    const input = JSON.stringify({ path, ...(tool === "create_file" && { content: "x\n" }) });
    const program = 'umask 077; exec "$0" "$@"';
    const args = ["-c", program, process.execPath, MAIN, "call", tool, input, "--surface", "workspace"];
    return spawnSync("/bin/sh", args, { cwd: root, env: { ...process.env, STET_STATE: home }, encoding: "utf8" });
  };
  const mode = (name: string) => statSync(join(root, name)).mode & 0o777;
  call("create_file", "a");
  const mark = join(historyIn(home), "mark");
  const before = readFileSync(mark);
  call("create_file", "b");
  writeFileSync(mark, before);
  rmSync(join(root, "b"));
  call("read_file", "a");
  expect([mode("a"), mode("b")]).toEqual([0o600, 0o600]);
});

it("the next change warns of what could not be finished, also where a call was refused before it", async () => {
  const [root, home] = [tempDir(), tempDir()];
  const first = openWorkspace({ root, stateDir: home });
  await first.session().create("a", "1\n");
  const mark = join(historyIn(home), "mark");
  const before = readFileSync(mark);
  await first.session().create("b", "2\n");
  await first.close();
  writeFileSync(mark, before);
  writeFileSync(join(root, "b"), "by hand\n");
  const next = openWorkspace({ root, stateDir: home });
  const session = next.session();
  await refuses("already_exists", () => session.create("a", "3\n"));
  const { warnings } = await session.create("c", "4\n");
  expect(warnings.join()).toContain("crash");
  await next.close();
});
