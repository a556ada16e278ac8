// One message on a line: whatever else comes is answered with an error, and nothing is made of it.
import { PassThrough, Writable } from "node:stream";
import { describe, expect, it } from "vitest";
import { LineTransport } from "../../src/serve/stdio/line-transport.ts";

const LONG = { text: `"id":1,[{\\${'x"'.repeat(1000)}` };
const PING = { jsonrpc: "2.0", id: 1, method: "ping" };

describe("lines", () => {
  it("are put together from any chunks, and end in LF or CRLF", async () => {
    const wire = await started();
    const text = `${JSON.stringify(PING)}\r\n\n  \n${JSON.stringify({ ...PING, id: "zwölf" })}\n`;
    for (const byte of Buffer.from(text)) wire.input.write(Buffer.of(byte));
    wire.input.end();
    await wire.closed;
    expect(wire.messages).toEqual([PING, { ...PING, id: "zwölf" }]);
    expect(wire.errors).toEqual([]);
  });

  it.each([
    ["bytes that are no UTF-8", Buffer.from('{"jsonrpc":"2.0","id":1,"method":"\xff"}', "latin1"), -32700, null],
    ["no JSON", "nonsense", -32700, null],
    ["another JSON-RPC", '{"jsonrpc":"1.0","id":3,"method":"ping"}', -32600, 3],
    ["null", "null", -32600, null],
    ["an id that is none", '{"jsonrpc":"2.0","id":{},"method":"ping"}', -32600, null],
    ["a token that is none", JSON.stringify({ ...PING, params: { _meta: { progressToken: {} } } }), -32600, 1],
    ["several messages", JSON.stringify([PING, PING]), -32600, null],
    ["what is nested too deep", `{"id":4,"params":${"[".repeat(5000)}${"]".repeat(5000)}}`, -32600, 4],
    ["too many values", `{"params":[${"0,".repeat(100_001)}0],"id":5}`, -32600, 5],
  ])("with %s are answered with an error, and the next one is heard", async (_what, line, code, id) => {
    const wire = await started();
    wire.input.write(line);
    wire.input.write(`\n${JSON.stringify(PING)}\n`);
    wire.input.end();
    await wire.closed;
    expect(wire.messages).toEqual([PING]);
    expect(wire.written()).toMatchObject([{ jsonrpc: "2.0", id, error: { code } }]);
    expect(wire.errors).toHaveLength(1);
  });

  it("hold several messages where the protocol has that", async () => {
    const wire = await started();
    wire.transport.setProtocolVersion("2025-03-26");
    wire.input.end(`${JSON.stringify([PING, 7, { ...PING, id: 2 }])}\n[]\n`);
    await wire.closed;
    expect(wire.messages).toEqual([PING, { ...PING, id: 2 }]);
    expect(wire.written()).toMatchObject([{ error: { code: -32600 } }, { error: { code: -32600 } }]);
  });

  it.each([
    ["an id at the end, as official clients write it", { method: "tools/call", params: LONG, id: 7 }, 7],
    ["an id at the beginning", { id: 'a \\ " b', method: "tools/call", params: LONG }, 'a \\ " b'],
    ["no id", { method: "notifications/x", params: LONG }, null],
    ["an id of its parameters only", { method: "x", params: { id: 5, "}": '{"id":6', LONG } }, null],
    ["a long id", { id: "x".repeat(2000) }, null],
    ["a list of messages", [{ id: 5, LONG }, { id: 6 }], null],
    ["no message", LONG, null],
  ] as const)("that are too long are refused under their id, and the next is taken: %s", async (_name, value, id) => {
    const text = JSON.stringify(value);
    expect(text.length).toBeGreaterThan(1000);
    for (const step of [1, 7, 999, text.length]) {
      const wire = await started();
      for (let at = 0; at < text.length; at += step) wire.input.write(text.slice(at, at + step));
      wire.input.end(`\n${JSON.stringify(PING)}\n`);
      await wire.closed;
      expect(wire.messages).toEqual([PING]);
      expect(wire.written()).toMatchObject([{ id, error: { code: -32600 } }]);
      expect(wire.errors).toHaveLength(1);
    }
  });

  it("that are too long and never end are refused at the end of the input", async () => {
    const wire = await started();
    wire.input.end(`${JSON.stringify(PING)}\n{"id":3,"x":"${"x".repeat(2000)}"`);
    await wire.closed;
    expect(wire.messages).toEqual([PING]);
    expect(wire.written()).toMatchObject([{ id: 3, error: { code: -32600 } }]);
  });

  it("of two chunks are both of them", async () => {
    const wire = await started();
    const text = JSON.stringify(PING);
    wire.input.write(text.slice(0, 9));
    wire.input.end(`${text.slice(9)}\n`);
    await wire.closed;
    expect(wire.messages).toEqual([PING]);
  });

  it("may be as long as the limit, and not a byte longer", async () => {
    for (const [bytes, heard] of [
      [1000, 2],
      [1001, 0],
    ] as const) {
      const wire = await started();
      wire.input.end(`${JSON.stringify(PING).padEnd(bytes)}\n`.repeat(2));
      await wire.closed;
      expect(wire.messages).toHaveLength(heard);
    }
  });

  it("as many as fit in one chunk may be longer together", async () => {
    const wire = await started();
    wire.input.end(`${JSON.stringify(PING)}\n`.repeat(100));
    await wire.closed;
    expect(wire.messages).toHaveLength(100);
  });
});

describe("answers", () => {
  it("of one turn go out together, in order", async () => {
    const writes: string[] = [];
    const output = new Writable({
      decodeStrings: false,
      write(chunk, _encoding, done) {
        writes.push(chunk);
        done();
      },
    });
    const { transport } = await started(output);
    const answers = [1, 2, 3].map((id) => ({ jsonrpc: "2.0" as const, id, result: {} }));
    await Promise.all(answers.map((answer) => transport.send(answer)));
    await nextTurn();
    expect(writes).toEqual([answers.map((answer) => `${JSON.stringify(answer)}\n`).join("")]);
  });

  it("that nobody reads stop the reading of more, until they are read", async () => {
    let read = () => {};
    const output = new Writable({
      write(_chunk, _encoding, done) {
        read = done;
      },
    });
    const wire = await started(output);
    const large = { jsonrpc: "2.0" as const, id: 1, result: { text: "x".repeat(9 * 1024 * 1024) } };
    const sent = [wire.transport.send(large), wire.transport.send(large), wire.transport.send(large)];
    expect(wire.input.isPaused()).toBe(true);
    for (let n = 0; n < 3; n++) {
      await new Promise((resolve) => setImmediate(resolve));
      read();
    }
    await Promise.all(sent);
    expect(wire.input.isPaused()).toBe(false);
  });

  it("after the end are refused", async () => {
    const wire = await started();
    wire.input.end();
    await wire.closed;
    await expect(wire.transport.send({ jsonrpc: "2.0", id: 1, result: {} })).rejects.toThrow("has ended");
  });

  it("to a client that has gone end the connection", async () => {
    const gone = new Writable({ write: (_chunk, _encoding, done) => done(new Error("EPIPE")) });
    const wire = await started(gone);
    await wire.transport.send({ jsonrpc: "2.0", id: 1, result: {} });
    await wire.closed;
    expect(wire.errors).toMatchObject([{ message: "EPIPE" }]);
  });
});

async function started(output: Writable = new PassThrough()) {
  const input = new PassThrough();
  const messages: unknown[] = [];
  const errors: Error[] = [];
  const chunks: Buffer[] = [];
  if (output instanceof PassThrough) output.on("data", (chunk: Buffer) => chunks.push(chunk));
  const transport = new LineTransport({ input, output, mostBytes: 1000, lastAnswers: async () => {} });
  const closed = new Promise<void>((resolve) => {
    transport.onclose = resolve;
  });
  transport.onmessage = (message) => void messages.push(message);
  transport.onerror = (error) => void errors.push(error);
  await transport.start();
  const written = () => {
    const lines = Buffer.concat(chunks).toString().trim().split("\n");
    return lines.map((line) => JSON.parse(line) as { id: unknown; error?: { code: number } });
  };
  return { transport, input, output, messages, errors, chunks, closed: closed.then(nextTurn), written };
}

/** What was written last has gone out by then. */
function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
}
