// The servers side by side: how each is started, and how each is asked for the same thing.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = fileURLToPath(new URL(".", import.meta.url));
const PEER = "@modelcontextprotocol/server-filesystem";
/** BENCH_STET: another build than the one in dist/. */
export const program = process.env.BENCH_STET ?? join(here, "../../dist/bin/stet.cjs");

/** Of its own for every run: the round that does not count fills it, as the first start on a machine does. */
const cache = mkdtempSync(join(tmpdir(), "stet-bench-cache-"));
process.once("exit", () => rmSync(cache, { recursive: true, force: true }));

/** stet keeps every version and its journal on the disk before it answers ("full"), or leaves the flushing to the system. */
export function stet(durability) {
  return {
    name: `stet, ${durability}`,
    start: (root) => ({
      command: process.execPath,
      args: [program, "mcp", root],
      env: { STET_DURABILITY: durability, XDG_CACHE_HOME: cache },
    }),
    read: (_root, path) => ["read_file", { path }],
    edit: (_root, path, { from, to, last }) => [
      "edit_file",
      { path, edits: [{ oldText: from, newText: to }], expectedSha256: shaIn(last) },
    ],
    find: (_root, pattern) => ["search_files", { query: pattern, mode: "path", maxResults: 1000 }],
    found: ({ content }) => content[0].text.split("\n").slice(1),
  };
}

export function peer() {
  return {
    name: "server-filesystem",
    start: (root) => ({ command: process.execPath, args: [peerProgram(), root], env: {} }),
    read: (root, path) => ["read_text_file", { path: join(root, path) }],
    edit: (root, path, { from, to }) => [
      "edit_file",
      { path: join(root, path), edits: [{ oldText: from, newText: to }] },
    ],
    find: (root, pattern) => ["search_files", { path: root, pattern }],
    found: ({ content }, root) => content[0].text.split("\n").map((line) => line.slice(root.length + 1)),
  };
}

export function peerVersion() {
  return JSON.parse(readFileSync(peerPackage(), "utf8")).version;
}

/** Of what was read, or of what the edit before made. */
function shaIn({ content }) {
  return /sha256=([0-9a-f]{64})/.exec(content[0].text)?.[1];
}

function peerProgram() {
  return join(dirname(peerPackage()), "dist/index.js");
}

let installed;

/** Installed on the first run: stet itself does not depend on it. */
function peerPackage() {
  const locate = () => createRequire(import.meta.url).resolve(`${PEER}/package.json`);
  if (installed !== undefined) return installed;
  try {
    installed = locate();
  } catch {
    console.log(`${PEER} is not installed; installing it in bench/mcp`);
    execFileSync("npm", ["ci", "--prefix", here, "--ignore-scripts", "--silent"], { stdio: "inherit" });
    installed = locate();
  }
  return installed;
}
