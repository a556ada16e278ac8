// Gated changes a second of 32 sessions on four servers, beside as many on a disk with the same promise of durability.
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { median } from "../stats.mjs";
import { startMember, together } from "./members.mjs";

const SERVERS = 4;
const SESSIONS = 32;
const BYTES = 10 * 1024;
const GOALS = { 1: 2, 32: 1 };
/** A server runs for days: its code is as fast as it gets after some thousand edits. */
const WARM = { edits: 5_000, mostMs: 60_000 };

/** @param {{ url: string, quick: boolean }} fleet */
export async function throughput({ url, quick }) {
  const root = mkdtempSync(join(tmpdir(), "stet-fleet-"));
  const ms = quick ? 800 : 4000;
  const rows = [];
  try {
    for (const workspaces of /** @type {const} */ ([1, 32])) {
      for (let n = 0; n < workspaces; n++) mkdirSync(join(root, `many-${workspaces}-${n}`));
      const wheres = { database: url, disk: root };
      const members = await Promise.all(
        Object.entries(wheres).map(async ([name, where]) => {
          const all = await together(Array.from({ length: SERVERS }), () => startMember(where));
          return /** @type {const} */ ([name, all]);
        }),
      );
      /** @param {typeof members[number][1]} servers @param {number} forMs */
      const edits = async (servers, forMs) => {
        const given = { ms: forMs, bytes: BYTES };
        const made = await together(servers, (server, s) =>
          server.ask("edits", { places: places(s, workspaces), ...given }),
        );
        return (made.reduce((sum, each) => sum + each, 0) * 1000) / forMs;
      };
      for (const [, servers] of members) {
        const until = performance.now() + (quick ? 0 : WARM.mostMs);
        let made = 0;
        do made += await edits(servers, quick ? 200 : 1000);
        while (made < WARM.edits * SERVERS && performance.now() < until);
      }
      /** @type {Record<string, number[]>} */
      const rates = { database: [], disk: [] };
      for (let round = 0; round < (quick ? 1 : 4); round++) {
        for (const [name, servers] of round % 2 === 0 ? members : members.toReversed()) {
          rates[name]?.push(await edits(servers, ms));
        }
      }
      await together(
        members.flatMap(([, servers]) => servers),
        (server) => server.end(),
      );
      const [database, disk] = [median(rates.database ?? []), median(rates.disk ?? [])];
      rows.push({
        row: `gated 10 KB edits, ${SESSIONS} sessions × ${workspaces} workspace${workspaces > 1 ? "s" : ""}, ${SERVERS} servers`,
        goal: `≥ ${GOALS[workspaces]} × disk, durability full`,
        figure: `${database.toFixed(0)} a second, disk ${disk.toFixed(0)}: ${(database / disk).toFixed(2)} ×`,
        holds: database / disk >= GOALS[workspaces],
      });
    }
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
  return rows;
}

/** Where the sessions of one server work. @param {number} server @param {number} workspaces */
function places(server, workspaces) {
  const each = SESSIONS / SERVERS;
  return Array.from({ length: each }, (_, n) => ({
    name: `many-${workspaces}-${(server * each + n) % workspaces}`,
    path: `session-${server}-${n}.txt`,
  }));
}
