// More kinds of callers than a server has handlers for at once: those that are idle make room, and no session ends for others.
import { afterAll, describe, expect, it } from "vitest";
import { missingPostgres } from "../../scripts/postgres.mjs";
import { HEAVY } from "../support/processes.ts";
import { startFleet } from "./fleet-support.ts";
import { HEADERS_2025, INITIALIZE, modern, send } from "./http-support.ts";

/** More than a server keeps ready at the same time, in heavy runs. */
const OTHERS = HEAVY ? 260 : 8;

describe.skipIf(missingPostgres() !== undefined)("many kinds of callers", async () => {
  if (missingPostgres() !== undefined) return;
  const fleet = await startFleet();
  const { serve, token, ask } = fleet;
  afterAll(fleet.end);

  it("a session stays open however many others come, and those that were idle are served again", async () => {
    const server = await serve();
    const { token: first } = await token({ workspaces: ["first"] });
    const opened = await send({ ...server, token: first }, { headers: HEADERS_2025, body: INITIALIZE });
    const session = { ...HEADERS_2025, "mcp-session-id": opened.headers["mcp-session-id"] };
    const list = { headers: session, body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" }) };
    expect((await ask(server, first, list)).status).toBe(200);
    // of a session that is not there: found out soon, by handlers of its own kind
    const others = { ...list, headers: { ...session, "mcp-session-id": "none" } };
    for (let n = 0; n < OTHERS; n++) {
      const { token: secret } = await token({ workspaces: [`w${n}`] });
      expect((await ask(server, secret, others)).status).toBe(404);
    }
    const { token: again } = await token({ workspaces: ["w0"] });
    expect((await ask(server, again, modern("tools/list"))).status).toBe(200);
    expect((await ask(server, first, list)).status).toBe(200);
  });
});
