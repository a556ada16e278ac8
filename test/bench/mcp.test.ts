// The MCP benchmark runs, on a small scale: its figures are not judged here, but that nothing is lost or crossed is.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { HEAVY } from "../support/processes.ts";
import { tempDir } from "../support/temp.ts";

const script = fileURLToPath(new URL("../../bench/mcp.mjs", import.meta.url));
const peer = "@modelcontextprotocol/server-filesystem/package.json";

describe("bench:mcp", () => {
  it.runIf(HEAVY)("has many clients over HTTP at once, none lost, none crossed", () => {
    const [, crowd] = bench("--only", "http", "--clients", "5");
    expect(crowd).toMatchObject({ title: "100 calls at once over HTTP", sessions: 5, lost: 0, crossed: 0 });
  });

  it("measures beside the other server", (context) => {
    context.skip(!isInstalled(), "the server to compare with is not installed: npm ci --prefix bench/mcp");
    const sizes = ["--rounds", "1", "--calls", "10", "--files", "500"];
    const [, ...figures] = bench(
      "--only",
      process.env.STET_HEAVY ? "start,read,edit,search,memory" : "read,search",
      ...sizes,
    );
    expect(figures).toHaveLength(process.env.STET_HEAVY ? 8 : 3);
    for (const { ratio } of figures) expect(ratio).toBeGreaterThan(0);
  });
});

interface Figure {
  readonly title: string;
  readonly ratio?: number;
}

function bench(...args: string[]): Figure[] {
  const json = join(tempDir(), "figures.json");
  const env = { ...process.env, XDG_CACHE_HOME: tempDir() };
  execFileSync(process.execPath, [script, ...args, "--json", json], { stdio: "pipe", env });
  return JSON.parse(readFileSync(json, "utf8"));
}

function isInstalled(): boolean {
  try {
    return createRequire(join(script, "../mcp/")).resolve(peer) !== "";
  } catch {
    return false;
  }
}
