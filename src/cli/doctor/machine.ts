// Examines the machine: Node, ripgrep, the native package, and how far races with links are closed here.
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { loadNative } from "../../backends/disk/native.ts";
import { pinning } from "../../backends/disk/paths/pin.ts";
import { stetVersion } from "../version.ts";
import { type Finding, ok, warn } from "./finding.ts";

export async function* examineMachine(): AsyncGenerator<Finding> {
  yield ok("stet", `${stetVersion()}, Node ${process.versions.node}`);
  yield await ripgrepFinding();
  const native = loadNative();
  const without =
    "Locks and swaps work without it, by slower ways; what was first changed with it can then only be read.";
  if (typeof native === "string") yield warn("native", native, without);
  else
    yield ok(
      "native",
      "fs-native-extensions loads",
      "System locks and one-step swaps, where the file system has them.",
    );
  const race = "A program on this machine that swaps links at the right instant can win.";
  if (pinning.races === "closed")
    yield ok("links", "paths are walked under open directories", "No swapped link leads outside.");
  else yield warn("links", `${process.platform}: paths are checked, then used`, race);
}

async function ripgrepFinding(): Promise<Finding> {
  const slow = "Searches run in JavaScript, many times slower on large trees.";
  if (process.env.STET_SEARCH === "javascript") return warn("ripgrep", "switched off by STET_SEARCH", slow);
  try {
    const { rgPath } = await import("@vscode/ripgrep");
    const { stdout } = await promisify(execFile)(rgPath, ["--version"], { timeout: 10_000 });
    return ok("ripgrep", stdout.split("\n")[0]!.trim());
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return warn("ripgrep", `does not run (${code ?? String(error)})`, slow);
  }
}
