// Who may call: tokens, their names, where they come from, and what is told to those who have none.
import { createHash } from "node:crypto";
import { writeFileSync } from "node:fs";
import { request } from "node:http";
import { networkInterfaces } from "node:os";
import { join } from "node:path";
import { type HttpServing, type RequestEvent, readTokens } from "stet/serve";
import { describe, expect, it } from "vitest";
import { tempDir } from "../support/temp.ts";
import { HEADERS_2025, INITIALIZE, JSON_HEADERS, LIST_2026, send, serveWaiting } from "./http-support.ts";

const ALICE = "alice-0123456789abcdef";
const BOB = "bob-0123456789abcdef";

describe("tokens", () => {
  it("are made up when none is given, another for each server, of 256 bits", async () => {
    const [one, other] = [(await serveWaiting()).serving, (await serveWaiting()).serving];
    expect(Buffer.from(one.token!, "base64url")).toHaveLength(32);
    expect(one.token).not.toBe(other.token);
    expect((await send(one)).status).toBe(200);
    expect((await send(one, { headers: { authorization: `Bearer ${other.token}` } })).status).toBe(401);
  });

  it("are compared as a whole: others whose hash begins or ends as that of a good one open nothing", async () => {
    const hash = (token: string) => createHash("sha256").update(token).digest("hex");
    const [begins, ends] = ["guessed-0123456789-2264", "guessed-0123456789-46595"] as const;
    expect([hash(begins).slice(0, 4), hash(ends).slice(-4)]).toEqual([hash(ALICE).slice(0, 4), hash(ALICE).slice(-4)]);
    const { serving } = await serveWaiting({ tokens: [{ name: "alice", token: ALICE }] });
    const status = async (token: string) =>
      (await send(serving, { headers: { authorization: `Bearer ${token}` } })).status;
    expect([await status(begins), await status(ends), await status(ALICE)]).toEqual([401, 401, 200]);
  });

  it("are needed for everything but health; without one nothing is told", async () => {
    const { serving } = await serveWaiting({ limits: { failureBurst: 100 } });
    for (const authorization of [
      undefined,
      "",
      "Bearer",
      "Bearer ",
      `Basic ${serving.token}`,
      `${serving.token}`,
      `Bearer ${serving.token}x`,
      `Bearer ${serving.token!.slice(0, -1)}`,
      `Bearer ${serving.token!.toUpperCase()}`,
      `Bearer ${serving.token} ${serving.token}`,
    ])
      for (const method of ["POST", "GET", "DELETE", "PUT"]) {
        const { status, headers, text } = await send(serving, { method, headers: { authorization } });
        expect([status, headers["www-authenticate"]]).toEqual([401, 'Bearer realm="stet"']);
        expect(text).not.toMatch(/secret|waiting|echo/);
      }
    expect(
      (await send(serving, { path: `/mcp?token=${serving.token}`, headers: { authorization: undefined } })).status,
    ).toBe(401);
    for (const path of ["/healthz", "/readyz"])
      expect(await send(serving, { method: "GET", path, headers: { authorization: undefined } })).toMatchObject({
        status: 200,
        text: '{"status":"ok"}',
      });
  });

  it("that are wrong too often are answered more shortly, and a right one still passes on this machine", async () => {
    const { serving } = await serveWaiting({ limits: { failureBurst: 3, failuresPerSecond: 0.001 } });
    const wrong = () => send(serving, { headers: { authorization: "Bearer wrong" } });
    const answers = [await wrong(), await wrong(), await wrong(), await wrong()];
    expect(answers.map(({ status }) => status)).toEqual([401, 401, 401, 429]);
    expect(Number(answers[3]!.headers["retry-after"])).toBeGreaterThan(1);
    expect((await send(serving)).status).toBe(200);
  });

  const outer = Object.values(networkInterfaces())
    .flatMap((all) => all ?? [])
    .find(({ internal, family }) => !internal && family === "IPv4")?.address;

  it.skipIf(outer === undefined)(
    "that are wrong too often from afar close the door to their address, and to no other",
    async () => {
      const limits = { failureBurst: 2, failuresPerSecond: 0.001 };
      const tokens = [{ name: "alice", token: ALICE }];
      const { serving } = await serveWaiting({ host: "0.0.0.0", tokens, limits, allowedHosts: ["far"] });
      const asked = (token: string) => statusFrom(outer!, serving, token);
      expect([await asked("wrong"), await asked(ALICE), await asked("wrong")]).toEqual([401, 200, 401]);
      expect([await asked(ALICE), await asked("wrong")]).toEqual([429, 429]);
      expect((await send(serving, { headers: { authorization: `Bearer ${ALICE}` } })).status).toBe(200);
    },
  );

  it("with names are told apart in the log of requests, which no token is in", async () => {
    const events: RequestEvent[] = [];
    const tokens = [{ name: "alice", token: ALICE }, { name: "bob", token: BOB }, { token: "nobody-0123456789abcdef" }];
    const { serving } = await serveWaiting({ tokens, onRequest: (event) => events.push(event) });
    expect(serving.token).toBeUndefined();
    const as = (token: string, more: object) =>
      send(serving, { headers: { authorization: `Bearer ${token}`, ...more } });
    for (const { token } of tokens) await as(token, {});
    await send(serving, { headers: { authorization: `Bearer ${BOB}`, ...HEADERS_2025 }, body: INITIALIZE });
    await as("wrong-0123456789abcdef", {});
    expect(events.map(({ status, path, principal }) => [status, path, principal])).toEqual([
      [200, "/mcp", "alice"],
      [200, "/mcp", "bob"],
      [200, "/mcp", "default"],
      [200, "/mcp", "bob"],
      [401, "/mcp", undefined],
    ]);
    expect(JSON.stringify(events)).not.toContain("0123456789abcdef");
  });

  it("are refused when they are weak, twice there, or unspeakable", async () => {
    const refused = async (...tokens: { name?: string; token: string }[]) => {
      const error = await serveWaiting({ tokens }).catch((reason: Error) => reason);
      expect(error).toMatchObject({ name: "Refusal", kind: "invalid_input" });
      return (error as Error).message;
    };
    expect(await refused({ token: "short" })).toContain("fewer than 16");
    expect(await refused({ token: "with a space in it, but long" })).toContain("visible ASCII");
    expect(await refused({ token: ALICE }, { token: BOB })).toContain("more than one has none");
    expect(await refused({ name: "a", token: ALICE }, { name: "a", token: BOB })).toContain("same name");
    expect(await refused({ name: "a", token: ALICE }, { name: "b", token: ALICE })).toContain("same token");
    for (const name of ["", "a b", "a\n", "x".repeat(65), "default"]) await refused({ name, token: ALICE });
    expect(await refused({ name: "a", token: "tiny-secret" })).not.toContain("tiny-secret");
  });
});

describe("token sources", () => {
  it("are a file of lines, or a value", () => {
    const file = join(tempDir(), "tokens");
    writeFileSync(file, `# of the team\nalice ${ALICE}\r\n\n  bob\t${BOB}\nplain-0123456789abcdef\n`);
    expect(readTokens({ file })).toEqual([
      { name: "alice", token: ALICE },
      { name: "bob", token: BOB },
      { token: "plain-0123456789abcdef" },
    ]);
    expect(readTokens({ value: ` ${ALICE}\n` })).toEqual([{ token: ALICE }]);
    expect(readTokens({})).toEqual([]);
    expect(readTokens({ value: "  " })).toEqual([]);
  });

  it("are refused in words that do not tell the token", () => {
    const file = join(tempDir(), "tokens");
    expect(() => readTokens({ file })).toThrow(/cannot be read \(ENOENT\)/);
    writeFileSync(file, "# nothing\n");
    expect(() => readTokens({ file })).toThrow(/has no token/);
    writeFileSync(file, `# swapped\n${ALICE} alice\n`);
    expect(() => readTokens({ file })).toThrow(/^Line 2 of the token file .*: the token is too short/);
    expect(() => readTokens({ file })).not.toThrow(ALICE);
    writeFileSync(file, `alice ${ALICE}\nalice ${BOB}\n`);
    expect(() => readTokens({ file })).toThrow(/^Line 2 of the token file .*: another token has the same name/);
    writeFileSync(file, `\nalice ${ALICE} more\n`);
    expect(() => readTokens({ file })).toThrow(/^Line 2 of the token file .*is not "token" or "name token"\.$/);
  });
});

describe("addresses", () => {
  it("that others can reach need a token of the owner", async () => {
    for (const host of ["0.0.0.0", "::", "192.0.2.1", "localhost.example.com", "127.1", "::ffff:192.0.2.1"])
      await expect(serveWaiting({ host })).rejects.toThrow(/can be reached from other machines, and no token/);
    const open = (await serveWaiting({ host: "0.0.0.0", tokens: [{ token: ALICE }] })).serving;
    expect(open.url).toBe(`http://127.0.0.1:${open.port}/mcp`);
    expect((await send(open, { method: "GET", headers: { authorization: `Bearer ${ALICE}` } })).status).not.toBe(401);
  });

  it("of this machine are its only ones otherwise", async () => {
    for (const host of ["127.0.0.1", "localhost", "LocalHost", "127.0.0.5"]) {
      const serving = (await serveWaiting({ host })).serving;
      expect(serving.url).toBe(`http://${host}:${serving.port}/mcp`);
    }
  });

  it("that are taken, or not there, are refused in words", async () => {
    const { serving } = await serveWaiting();
    await expect(serveWaiting({ port: serving.port })).rejects.toMatchObject({ kind: "busy" });
    await expect(serveWaiting({ port: 70_000 })).rejects.toMatchObject({ kind: "invalid_input" });
    const tokens = [{ token: ALICE }];
    await expect(serveWaiting({ host: "192.0.2.1", tokens })).rejects.toMatchObject({
      kind: "invalid_input",
    });
    for (const allowedHosts of [["https://files.example"], ["*"], ["files.example/mcp"], ["a b"], [""]])
      await expect(serveWaiting({ allowedHosts })).rejects.toThrow(/is not a host/);
    for (const allowedOrigins of [["files.example"], ["*"], ["null"], ["https://files.example/"], ["https://*"]])
      await expect(serveWaiting({ allowedOrigins })).rejects.toThrow(/is not an origin|is not a host/);
    await expect(serveWaiting({ limits: { bodyBytes: 0 } })).rejects.toMatchObject({
      kind: "invalid_input",
    });
    await expect(serveWaiting({ limits: { burst: 0.5 } })).rejects.toThrow(/at least 1 for burst/);
    await expect(serveWaiting({ limits: { bodyBites: 9 } as never })).rejects.toThrow(/bodyBites/);
  });
});

/** Of a request from this machine by an address that others see. */
function statusFrom(host: string, { port }: HttpServing, token: string): Promise<number> {
  const headers = { ...JSON_HEADERS, authorization: `Bearer ${token}`, host: "far" };
  return new Promise((resolve, reject) => {
    const outgoing = request({ host, port, method: "POST", path: "/mcp", agent: false, headers });
    outgoing.on("error", reject).on("response", (response) => resolve(response.resume().statusCode!));
    outgoing.end(LIST_2026);
  });
}
