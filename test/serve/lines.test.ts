// One message on a line: whatever else comes is answered with an error, nothing is made of it, and the next line is heard.
import { afterAll, describe, expect, it } from "vitest";
import { INITIALIZE_STDIO, PROGRAM, startProcess } from "../support/stdio.ts";
import { directoryWith } from "../support/workspace.ts";

const LONGEST = 1_000_000;
const LONG = { text: `"id":1,[{\\${'x"'.repeat(LONGEST)}` };
const PING = { jsonrpc: "2.0", id: "ping", method: "ping" };

const server = startProcess([PROGRAM, "mcp", directoryWith({})], { STET_MAX_MESSAGE_BYTES: `${LONGEST}` });
afterAll(() => void server.process.kill());
server.send(INITIALIZE_STDIO);
await server.answer("init");
let count = 0;

/** What is said to these chunks, before the answer to a message behind them. */
async function saidTo(...chunks: readonly (string | Buffer)[]): Promise<object[]> {
  const before = server.messages().length;
  for (const chunk of chunks) server.process.stdin.write(chunk);
  const id = `next ${++count}`;
  server.process.stdin.write(`\n${JSON.stringify({ ...PING, id })}\n`);
  await server.answer(id);
  return server
    .messages()
    .slice(before)
    .filter((each) => each.id !== id);
}

describe("a line", () => {
  it("is put together from any chunks, and ends in LF or CRLF", async () => {
    const text = `${JSON.stringify(PING)}\r\n\n  \n${JSON.stringify({ ...PING, id: "zwölf" })}`;
    const bytes = [...Buffer.from(text)].map((byte) => Buffer.of(byte));
    expect(await saidTo(...bytes)).toMatchObject([{ id: "ping" }, { id: "zwölf" }]);
  });

  it.each([
    ["bytes that are no UTF-8", Buffer.from('{"jsonrpc":"2.0","id":1,"method":"\xff"}', "latin1"), -32700, null],
    ["no JSON", "nonsense", -32700, null],
    ["another JSON-RPC", '{"jsonrpc":"1.0","id":3,"method":"ping"}', -32600, 3],
    ["an id that is none", '{"jsonrpc":"2.0","id":{},"method":"ping"}', -32600, null],
    ["several messages", JSON.stringify([PING, PING]), -32600, null],
    ["what is nested deeply, and no message", `{"id":4,"params":${"[".repeat(5000)}${"]".repeat(5000)}}`, -32600, 4],
  ])("with %s is answered with an error", async (_what, line, code, id) => {
    expect(await saidTo(line)).toMatchObject([{ jsonrpc: "2.0", id, error: { code } }]);
  });

  it.each([
    ["an id at the end, as official clients write it", { method: "tools/call", params: LONG, id: 7 }, 7],
    ["an id at the beginning", { id: 'a \\ " b', method: "tools/call", params: LONG }, 'a \\ " b'],
    ["an id of its parameters only", { method: "x", params: { id: 5, "}": '{"id":6', LONG } }, null],
    ["a list of messages", [{ id: 5, LONG }, { id: 6 }], null],
  ] as const)("that is too long is refused under its id: %s", async (_name, value, id) => {
    expect(await saidTo(JSON.stringify(value))).toMatchObject([{ id, error: { code: -32600 } }]);
  });

  it("may be as long as the limit, and not a byte longer", async () => {
    expect(await saidTo(JSON.stringify(PING).padEnd(LONGEST))).toMatchObject([{ id: "ping", result: {} }]);
    expect(await saidTo(JSON.stringify(PING).padEnd(LONGEST + 1))).toMatchObject([{ error: { code: -32600 } }]);
  });
});

it("a message that never ends is refused at the end of the input, and so does the process end", async () => {
  server.process.stdin.end(`{"id":3,"x":"${"x".repeat(LONGEST)}"`);
  expect(await server.ended).toEqual([0, null]);
  expect(server.messages().at(-1)).toMatchObject({ id: 3, error: { code: -32600 } });
});
