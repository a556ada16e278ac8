// Clients of both eras with one token and many calls each, all at once: none is lost, none gets the answer of another, none the session of another.
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { serveOverHttp } from "stet/serve";
import { surfaceNamed } from "stet/surfaces";
import { expect, it } from "vitest";
import { HEAVY } from "../support/processes.ts";
import { memoryWorkspace } from "../support/workspace.ts";
import { type CallResult, INFO, modernClient, textOf } from "./clients.ts";
import { closing } from "./http-support.ts";

const CLIENTS = HEAVY ? 50 : 12;
const CALLS = HEAVY ? 20 : 6;

it(`${CLIENTS * CALLS} concurrent calls of clients of both eras`, { timeout: 180_000 }, async () => {
  const files = Object.fromEntries(Array.from({ length: CLIENTS }, (_, n) => [`f${n}.txt`, `of client ${n}\n`]));
  const workspace = memoryWorkspace(files);
  const serving = closing(
    await serveOverHttp({
      surface: surfaceNamed("tracked"),
      served: [{ name: "w", workspace }],
      version: "1",
    }),
  );
  const requestInit = { headers: { authorization: `Bearer ${serving.token}` } };
  const clients = await Promise.all(
    Array.from({ length: CLIENTS }, async (_, n) => {
      const client = closing(n % 2 === 0 ? new Client(INFO) : modernClient({ ...INFO, name: `client ${n}` }));
      await client.connect(new StreamableHTTPClientTransport(new URL(serving.url), { requestInit }));
      const call = (name: string, input: object) =>
        client.callTool({ name, arguments: { ...input } }) as Promise<CallResult>;
      await call("Read", { file_path: `f${n}.txt` });
      return { n, call };
    }),
  );

  const answers = await Promise.all(
    clients.flatMap(({ n, call }) =>
      Array.from({ length: CALLS }, async (_, m) => {
        // an edit of the own file must be let through, one of the neighbour's must not, and every read must be the own one
        if (m === 0) return (await call("Edit", edit(n))).isError !== true;
        if (m === 1) return (await call("Edit", edit((n + 1) % CLIENTS))).isError === true;
        return textOf(await call("Read", { file_path: `f${n}.txt` })).includes(`of client ${n}`);
      }),
    ),
  );
  expect(answers).toHaveLength(CLIENTS * CALLS);
  expect(answers.filter((right) => !right)).toEqual([]);
  for (const { n, call } of clients) expect(textOf(await call("Read", { file_path: `f${n}.txt` }))).toContain("edited");
});

function edit(n: number) {
  return { file_path: `f${n}.txt`, old_string: `of client ${n}\n`, new_string: `of client ${n}, edited\n` };
}
