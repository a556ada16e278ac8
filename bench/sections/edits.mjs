// Edit quality, by the edit benchmark itself, on trials that everybody can make again.
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { section } from "./section.mjs";

await section(async (quick) => {
  const [file = ""] = process.argv.slice(2);
  const script = fileURLToPath(new URL("../edits/run.mjs", import.meta.url));
  spawnSync(process.execPath, [script, "--generated", "--json", file, "--sample", quick ? "150" : "1200"], {
    stdio: "ignore",
  });
  return JSON.parse(readFileSync(file, "utf8"));
});
