// The attacker of the symlink race: for ever swaps `dir` for a link to a directory outside, and back.
import { mkdirSync, renameSync, symlinkSync } from "node:fs";
import { join } from "node:path";

const [root = "", outside = ""] = process.argv.slice(2);
const [dir, kept, link] = ["dir", "kept", "link"].map((name) => join(root, name));
mkdirSync(join(root, "other"));
symlinkSync(outside, String(link));
process.stdout.write("ready\n");
for (;;) {
  try {
    renameSync(String(dir), String(kept));
    renameSync(String(link), String(dir));
    renameSync(String(dir), String(link));
    renameSync(String(kept), String(dir));
  } catch {
    // Somebody put a directory in the way; the next round tries again.
  }
}
