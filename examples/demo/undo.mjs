// The end of the demo, from the shell: the crashed change taken back as a whole, and the journal that tells it all checked.
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
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
