// The end of the demo, from the shell: the crashed change taken back as a whole, the journal that tells it all checked, and
// the whole project removed and brought back.
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

export async function undoAndVerify(story, workspace, root, crashed) {
  story.step("The owner does not want that change: one undo takes all of it back");
  stet(story, root, ["undo", `${crashed?.seq}`]);
  const parts = (crashed?.paths ?? []).map((path) => readFileSync(join(root, path), "utf8"));
  story.check("every file is as it was before", parts.length > 0 && parts.every((part) => part.includes('"none"')));
  story.check("what was done later is still there", existsSync(join(root, "NOTES.md")));

  story.step("Every change and every refusal is in the journal, and its chain of hashes is whole");
  const log = stet(story, root, ["log"]);
  story.check("it tells of the refusals", log.match(/refused (stale_file|patch_apply_error)/g)?.length === 3);
  story.check("it tells what the other process did", log.includes("changed outside stet: M src/server.js"));
  stet(story, root, ["verify"]);
  const { ok, problems } = await workspace.verify();
  story.check("nothing in it was altered, removed or moved", ok && problems.length === 0);
}

/** The workspace is closed first: its directory goes. */
export async function removedAndBroughtBack(story, workspace, root) {
  story.step("An agent's shell removes the whole project: the history is not in it, and brings the files back");
  const changed = new Set();
  for await (const { changes } of workspace.log({ outcomes: ["applied"] }))
    for (const { path } of changes) if (existsSync(join(root, path))) changed.add(path);
  const before = new Map([...changed].map((path) => [path, readFileSync(join(root, path))]));
  await workspace.close();
  rmSync(root, { recursive: true });
  story.say(`rm -rf ${root}`);
  stet(story, dirname(root), ["restore", "--all", "--root", root]);
  const isBack = ([path, bytes]) => existsSync(join(root, path)) && readFileSync(join(root, path)).equals(bytes);
  story.check("every file that stet had changed is back, byte for byte", before.size > 0 && [...before].every(isBack));
  stet(story, root, ["verify"]);
}

/** The command line of this package, as a process of its own. Throws when it does not end with 0. */
function stet(story, cwd, args) {
  const manifest = createRequire(import.meta.url).resolve("stet/package.json");
  const { bin } = JSON.parse(readFileSync(manifest, "utf8"));
  const main = join(dirname(manifest), bin.stet);
  const env = { ...process.env, USER: "owner", NO_COLOR: "1" };
  const printed = execFileSync(process.execPath, [main, ...args], { cwd, env, encoding: "utf8", stdio: "pipe" });
  story.ran(`stet ${args.join(" ")}`, printed);
  return printed;
}
