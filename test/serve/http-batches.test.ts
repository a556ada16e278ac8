// Several calls of a 2025 session at once: ids that are used twice, cancelled calls, batches, and what a shutdown waits for.
import { describe, expect, it } from "vitest";
import { HEADERS_2025, INITIALIZE, modern, send, serveWaiting } from "./http-support.ts";

type Waiting = Awaited<ReturnType<typeof serveWaiting>>;

describe("an id that is used twice", () => {
  it("is refused while its call has no answer, and runs nothing", async () => {
    const waiting = await serveWaiting();
    const { post } = await openSession(waiting);
    const first = post(wait(7));
    await waiting.began();
    const second = await post(echo(7, "lost"));
    expect([second.status, second.json]).toEqual([
      400,
      {
        jsonrpc: "2.0",
        id: null,
        error: {
          code: -32600,
          message: "Invalid Request: the id 7 is that of another call without an answer. Give each call its own.",
        },
      },
    ]);
    expect((await post([echo(8, "new"), echo(7, "lost")])).status).toBe(400);
    expect((await post(echo("7", "another id"))).answers).toMatchObject([{ id: "7" }]);
    waiting.release();
    expect((await first).answers).toMatchObject([{ id: 7, result: { content: [{ text: "waited" }] } }]);
    expect((await post(echo(7, "again"))).text).toContain("again");
  });

  it("is refused in one batch, and runs nothing", async () => {
    const waiting = await serveWaiting();
    const { post } = await openSession(waiting);
    const { status, text } = await post([wait(1), wait(2), wait(1)]);
    expect([status, text]).toEqual([400, expect.stringContaining("the id 1 is that of another call")]);
    expect(waiting.aborted).toEqual([]);
    expect((await post([echo(1, "a"), echo(2, "b")])).answers).toHaveLength(2);
  });

  it("stays in use when its client has gone, so that no answer goes to another call", async () => {
    const waiting = await serveWaiting();
    const { post, headers } = await openSession(waiting);
    const leave = new AbortController();
    const gone = fetch(waiting.serving.url, {
      method: "POST",
      signal: leave.signal,
      headers: { ...headers, authorization: `Bearer ${waiting.serving.token}` } as Record<string, string>,
      body: JSON.stringify(wait(7)),
    }).then((response) => response.text());
    await waiting.began();
    leave.abort();
    await expect(gone).rejects.toThrow();
    expect((await post(echo(7, "new"))).status).toBe(400);
    waiting.release();
    let again = await post(echo(7, "new"));
    for (let tries = 0; again.status === 400 && tries < 100; tries++) again = await post(echo(7, "new"));
    expect(again.text).toContain("new");
    expect(again.text).not.toContain("waited");
  });

  it("is free again after a request that was refused", async () => {
    const { post } = await openSession(await serveWaiting());
    expect((await post({ ...echo(7, "x"), jsonrpc: "1.0" })).status).toBe(400);
    expect((await post(echo(7, "y"))).text).toContain("y");
  });
});

it("an id has at most 200 characters, in both eras", async () => {
  const waiting = await serveWaiting();
  const { post } = await openSession(waiting);
  const message = "Invalid Request: The id of a message may have 200 characters.";
  for (const body of [echo("k".repeat(201), "x"), [echo(1, "x"), echo("k".repeat(201), "x")]])
    expect(await post(body)).toMatchObject({ status: 400, json: { id: null, error: { code: -32600, message } } });
  const long = modern("tools/list");
  const answer = await send(waiting.serving, {
    ...long,
    body: long.body.replace('"id":1', `"id":"${"k".repeat(201)}"`),
  });
  expect([answer.status, answer.text]).toEqual([400, expect.stringContaining(message)]);
  expect((await post(echo("k".repeat(200), "short enough"))).text).toContain("short enough");
});

describe("a cancelled call", () => {
  const CANCELLED = { error: { code: -32000, message: "Cancelled." } };

  it("is answered as such, alone or in a batch, so that its stream ends before its session does", async () => {
    const waiting = await serveWaiting();
    const { post } = await openSession(waiting);
    const calls = [wait("alone"), [wait("a"), wait("b"), echo("c", "answered")]].map(post);
    await waiting.began(3);
    for (const id of ["alone", "a", "b"]) expect((await post(cancel(id))).status).toBe(202);
    const [alone, batch] = await Promise.all(calls);
    expect(alone!.answers).toMatchObject([{ id: "alone", ...CANCELLED }]);
    expect(batch!.answers).toHaveLength(3);
    expect(batch!.answers).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ id: "a", ...CANCELLED }),
        expect.objectContaining({ id: "c", result: expect.anything() }),
      ]),
    );
    // Their ids are free again.
    expect((await post([echo("alone", "1"), echo("a", "2"), echo("b", "3"), echo("c", "4")])).answers).toHaveLength(4);
    expect(waiting.aborted).toHaveLength(3);
  });

  it("leaves the others of its batch running", async () => {
    const waiting = await serveWaiting({ limits: { graceMs: 60_000 } });
    const { post } = await openSession(waiting);
    const batch = post([wait(1), wait(2)]);
    await waiting.began(2);
    await post(cancel(1));
    waiting.release();
    expect((await batch).answers).toMatchObject([
      { id: 1, ...CANCELLED },
      { id: 2, result: { content: [{ text: "waited" }] } },
    ]);
    expect((await post(echo(1, "free again"))).text).toContain("free again");
  });

  it("may be cancelled by its own batch", async () => {
    const { post } = await openSession(await serveWaiting());
    expect((await post([wait(1), cancel(1)])).answers).toMatchObject([{ id: 1, ...CANCELLED }]);
    const asked = { ...cancel(3), id: 4 };
    const answers = (await post([echo(3, "not cancelled"), asked])).answers.sort((one, other) => one.id - other.id);
    expect(answers).toMatchObject([
      { id: 3, result: {} },
      { id: 4, error: { code: -32601 } },
    ]);
    expect((await post(echo(1, "free again"))).text).toContain("free again");
  });
});

it("a batch that begins with a subscription is waited for at a shutdown like any other", async () => {
  const waiting = await serveWaiting({ limits: { graceMs: 60_000 } });
  const { post } = await openSession(waiting);
  const batch = post([{ jsonrpc: "2.0", id: 1, method: "subscriptions/listen" }, wait(2)]);
  await waiting.began();
  const closed = waiting.serving.close();
  // whoever does not wait for calls would have ended the streams by now
  await expect(send(waiting.serving, { method: "GET", path: "/healthz" })).rejects.toThrow(/ECONNREFUSED/);
  await new Promise((resolve) => setImmediate(resolve));
  expect(waiting.aborted).toEqual([]);
  waiting.release();
  expect((await batch).answers.find(({ id }) => id === 2)).toMatchObject({ result: { content: [{ text: "waited" }] } });
  await closed;
});

async function openSession({ serving }: Waiting) {
  const opened = await send(serving, { headers: HEADERS_2025, body: INITIALIZE });
  const headers = { ...HEADERS_2025, "mcp-session-id": opened.headers["mcp-session-id"] as string };
  const post = async (body: object) => {
    const { status, text } = await send(serving, { headers, body: JSON.stringify(body) });
    const json = text.startsWith("{") ? (JSON.parse(text) as object) : undefined;
    const answers = [...text.matchAll(/^data: (.+)$/gm)].map(([, data]) => JSON.parse(data!) as { id: number });
    return { status, text, json, answers };
  };
  const { "mcp-method": _none, ...rest } = headers;
  const plain = { "content-type": "application/json", accept: "application/json, text/event-stream", ...rest };
  return { post, headers: plain };
}

function wait(id: string | number) {
  return { jsonrpc: "2.0", id, method: "tools/call", params: { name: "wait", arguments: {} } };
}

function echo(id: string | number, text: string) {
  return { jsonrpc: "2.0", id, method: "tools/call", params: { name: "echo", arguments: { text } } };
}

function cancel(requestId: string | number) {
  return { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId } };
}
