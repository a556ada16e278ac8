// What the tools cost a model: the list it is given with every request, and the words of typical answers.
import "./own-register.mjs";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { tools } from "./tools/index.mjs";

const FILE = `${Array.from({ length: 100 }, (_, n) => `export const setting${n + 1} = ${n * 3}; // used by part ${n % 7}`).join("\n")}\n`;

/**
 * Bytes of UTF-8. A token is taken to be four of them, for every tool alike.
 * @typedef {{ tool: string, stet: boolean, tools: number, list: number, read: number, edit: number, refusal: number }} Cost
 * @returns {Promise<{ costs: Cost[], skipped: { tool: string, reason: string }[] }>}
 */
export async function measureCost() {
  const costs = [];
  const skipped = [];
  for (const tool of tools) {
    const root = mkdtempSync(join(tmpdir(), "stet-cost-"));
    try {
      const loaded = await tool.load();
      writeFileSync(join(root, "settings.ts"), FILE);
      const listed = (await loaded.list()).map(({ name, description, inputSchema }) => ({
        name,
        description,
        inputSchema,
      }));
      const agent = await loaded.open(root);
      const read = await agent.read("settings.ts");
      const edit = await agent.edit("settings.ts", "setting40 = 117;", "setting40 = 118;");
      await agent.read("settings.ts");
      const refusal = await agent.edit("settings.ts", "setting41 = 999;", "setting41 = 1000;");
      await agent.close();
      costs.push({
        tool: tool.id,
        stet: tool.stet ?? false,
        tools: listed.length,
        list: bytes(JSON.stringify(listed)),
        read: bytes(read.done ?? read.refused ?? ""),
        edit: bytes(edit.done ?? edit.refused ?? ""),
        refusal: bytes(refusal.refused ?? refusal.done ?? ""),
      });
    } catch (error) {
      skipped.push({
        tool: tool.id,
        reason: String(/** @type {Error} */ (error)?.message ?? error).split("\n")[0] ?? "",
      });
    } finally {
      rmSync(root, { recursive: true, force: true });
    }
  }
  return { costs, skipped };
}

/** @param {string} text */
const bytes = (text) => Buffer.byteLength(text);
