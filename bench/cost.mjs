// What the tools cost a model: the list it is given with every request, and what it receives for typical calls.
import { measureReceived } from "./received.mjs";
import { tools } from "./tools/index.mjs";

/**
 * Bytes of UTF-8. A token is taken to be four of them, for every tool alike.
 * @typedef {{ tool: string, stet: boolean, tools: number, list: number }} Cost
 * @typedef {{ tool: string, reason: string }} Skipped
 * @returns {Promise<{ costs: Cost[], received: Awaited<ReturnType<typeof measureReceived>>, skipped: Skipped[] }>}
 */
export async function measureCost() {
  const costs = [];
  const skipped = [];
  for (const tool of tools) {
    try {
      const listed = (await (await tool.load()).list()).map(({ name, description, inputSchema }) => ({
        name,
        description,
        inputSchema,
      }));
      const list = Buffer.byteLength(JSON.stringify(listed));
      costs.push({ tool: tool.id, stet: tool.stet ?? false, tools: listed.length, list });
    } catch (error) {
      skipped.push({
        tool: tool.id,
        reason: String(/** @type {Error} */ (error)?.message ?? error).split("\n")[0] ?? "",
      });
    }
  }
  return { costs, received: await measureReceived(), skipped };
}
