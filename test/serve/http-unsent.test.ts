// Answers that are not taken: counted while they wait, and no longer when they are out or their response is closed.
import { type ClientRequest, createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, it } from "vitest";
import { createAllowance } from "../../src/serve/calls/allowance.ts";
import { createUnsent } from "../../src/serve/http/sessions/unsent.ts";

const MOST = 1024 * 1024;
const PART = Buffer.alloc(MOST, "x");
const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

/** A response on its way to a client that has not read anything of it yet. */
async function responding(): Promise<{ response: ServerResponse; asked: ClientRequest; incoming: IncomingMessage }> {
  let take!: (response: ServerResponse) => void;
  const arrived = new Promise<ServerResponse>((resolve) => (take = resolve));
  const server = createServer((_request, response) => {
    response.writeHead(200);
    response.flushHeaders();
    take(response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const asked = request({ port: (server.address() as AddressInfo).port, host: "127.0.0.1" }).end();
  closing.push(
    () => asked.destroy(),
    () => server.close(),
  );
  const incoming = await new Promise<IncomingMessage>((resolve) => asked.once("response", resolve));
  return { response: await arrived, asked, incoming };
}

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 5));
}

it("bytes are given back when the client takes them", async () => {
  const unsent = createUnsent(MOST, createAllowance(MOST));
  const { response, incoming } = await responding();
  const writer = unsent.writerTo(response, "alice");
  for (let n = 0; n < 40; n++) writer.write(PART);
  expect(unsent.isFull("alice")).toBe(true);
  expect(unsent.isFull("bob")).toBe(false);
  incoming.resume();
  await until(() => !unsent.isFull("alice"));
  expect(writer.fits(PART)).toBe(true);
});

it("bytes are given back when the response is closed with them unread, once", async () => {
  const unsent = createUnsent(MOST, createAllowance(MOST));
  const { response, asked } = await responding();
  const writer = unsent.writerTo(response, "alice");
  for (let n = 0; n < 40; n++) writer.write(PART);
  expect(unsent.isFull("alice")).toBe(true);
  const closed = new Promise((resolve) => response.once("close", resolve));
  asked.destroy();
  await closed;
  await new Promise((resolve) => setTimeout(resolve, 20));
  const other = unsent.writerTo((await responding()).response, "alice");
  // Nothing is counted, neither more nor less: it is full to the byte when as much has been written.
  expect(unsent.isFull("alice")).toBe(false);
  other.write(PART.subarray(1));
  expect(unsent.isFull("alice")).toBe(false);
  other.write(PART.subarray(0, 1));
  expect(unsent.isFull("alice")).toBe(true);
});
