// What a model receives for ten typical calls, from the servers over MCP and from the other tools in their own process.
import "./own-state.mjs";
import { appendFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { connect } from "./mcp/stdio-client.mjs";
import { ABSENT, CREATED, FILE, LATER, makeProject, NEW, OLD } from "./received/project.mjs";
import { servers } from "./received/servers.mjs";
import { peerTools } from "./tools/peer.mjs";

/** @type {readonly (readonly [name: string, title: string])[]} */
const CALLS = [
  ["list", "list a directory, 13 files"],
  ["tree", "list everything, 27 files in 2 directories"],
  ["find", "find 12 files by name"],
  ["search", "search for a word, 24 hits in 12 files"],
  ["read", "read 100 lines"],
  ["page", "read 20 of them"],
  ["edit", "change one line"],
  ["refused", "change a line that is not there"],
  ["changed", "change a line after somebody else changed the file"],
  ["create", "create a file"],
];

/** @type {(import("./tools/answer.mjs").Tool | (typeof servers)[number])[]} */
const inProcess = peerTools.filter(({ id }) => !servers.some((server) => server.id === id));

/**
 * Bytes of UTF-8, by tool; what a tool has no call for is left out.
 * @returns {Promise<{ tools: string[], calls: { title: string, bytes: Record<string, number> }[], skipped: { tool: string, reason: string }[] }>}
 */
export async function measureReceived(compared = [...servers, ...inProcess]) {
  /** @type {Record<string, Record<string, string>>} */
  const words = {};
  const skipped = [];
  for (const each of compared) {
    const root = makeProject();
    try {
      words[each.id] = "load" in each ? await ofTool(await each.load(), root) : await ofServer(each, root);
    } catch (error) {
      skipped.push({
        tool: each.id,
        reason: String(/** @type {Error} */ (error)?.message ?? error).split("\n")[0] ?? "",
      });
    } finally {
      rmSync(root, { recursive: true, force: true });
    }
  }
  const calls = CALLS.map(([name, title]) => {
    const those = Object.entries(words).flatMap(([tool, said]) =>
      said[name] === undefined ? [] : [[tool, Buffer.byteLength(said[name])]],
    );
    return { title, bytes: Object.fromEntries(those) };
  });
  return { tools: Object.keys(words), calls, skipped };
}

/** @param {(typeof servers)[number]} server @param {string} root */
async function ofServer(server, root) {
  const client = await connect(server.start(root));
  const asks = server.asks(root);
  /** @type {Record<string, string>} */
  const words = {};
  let last = "";
  try {
    for (const [name] of CALLS) {
      if (name === "changed") changeFromOutside(root);
      const ask = asks[name]?.(last, words.read ?? "");
      if (ask === undefined) continue;
      const result = await client.request("tools/call", { name: ask[0], arguments: ask[1] });
      words[name] = received(result);
      // Some refuse what somebody else has changed, and that is an answer too.
      if (name !== "changed" && (result.isError === true) !== (name === "refused"))
        throw new Error(`${name} is answered with ${words[name]}`);
      if (words[name]?.includes("sha256=")) last = words[name] ?? "";
    }
  } finally {
    await client.close();
  }
  return words;
}

/** As Claude Code and Codex hand it on: the data where there is any, else the text. @param {any} result */
function received({ content, structuredContent, isError }) {
  if (structuredContent !== undefined && !isError) return JSON.stringify(structuredContent);
  return content.map((/** @type {{ text?: string }} */ { text }) => text ?? "").join("\n");
}

/** @param {import("./tools/answer.mjs").Loaded} loaded @param {string} root */
async function ofTool(loaded, root) {
  const agent = await loaded.open(root);
  /** @type {Record<string, () => Promise<import("./tools/answer.mjs").Answer> | undefined>} */
  const asks = {
    read: () => agent.read(FILE),
    page: () => (loaded.ranges ? agent.read(FILE, { from: 41, to: 60 }) : undefined),
    edit: () => agent.edit(FILE, OLD, NEW),
    refused: () => agent.edit(FILE, ABSENT, NEW),
    changed: () => agent.edit(FILE, LATER.old, LATER.new),
    create: () => agent.write?.(CREATED.path, CREATED.content),
  };
  /** @type {Record<string, string>} */
  const words = {};
  for (const [name] of CALLS) {
    if (name === "changed") changeFromOutside(root);
    const answer = await asks[name]?.();
    if (answer !== undefined) words[name] = answer.done ?? answer.refused ?? "";
  }
  await agent.close();
  return words;
}

/** @param {string} root */
function changeFromOutside(root) {
  appendFileSync(join(root, FILE), "export const fromSomebodyElse = true;\n");
}
