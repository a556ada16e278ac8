// Who may call: tokens, their names, where they come from, and what is told to those who have none.
import { createHash } from "node:crypto";
import { chmodSync, writeFileSync } from "node:fs";
import type { IncomingMessage } from "node:http";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { HttpCaller } from "../../src/serve/http/access/caller.ts";
import { createGuards } from "../../src/serve/http/access/guards.ts";
import { isOpenToOthers, readTokens } from "../../src/serve/http/access/token-sources.ts";
import { acceptTokens } from "../../src/serve/http/access/tokens.ts";
import { httpLimits } from "../../src/serve/http/limits.ts";
import { serveFactoryOverHttp } from "../../src/serve/http/listen.ts";
import type { RequestEvent } from "../../src/serve/http/options.ts";
import { tempDir } from "../support/temp.ts";
import { closing, HEADERS_2025, INITIALIZE, send, serveWaiting } from "./http-support.ts";

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

  it("that are wrong too often from afar close the door to their address, and to no other", async () => {
    const guards = createGuards({
      host: "0.0.0.0",
      port: 4100,
      allowedHosts: [],
      allowedOrigins: [],
      tokens: acceptTokens([{ name: "alice", token: ALICE }]),
      limits: httpLimits({ failureBurst: 2, failuresPerSecond: 0.001 }),
    });
    // from addresses that no test can call from
    const asked = async (remoteAddress: string, token: string) => {
      const headers = { authorization: `Bearer ${token}` };
      const answer = await guards.caller({ socket: { remoteAddress }, headers } as IncomingMessage);
      return "status" in answer ? answer.status : answer.name;
    };
    const [far, other] = ["192.0.2.7", "192.0.2.8"];
    expect([await asked(far, "wrong"), await asked(far, ALICE), await asked(far, "wrong")]).toEqual([
      401,
      "alice",
      401,
    ]);
    expect([await asked(far, ALICE), await asked(far, "wrong")]).toEqual([429, 429]);
    expect(await asked(other, ALICE)).toBe("alice");
  });

  it("with names are principals, in both eras", async () => {
    const callers: HttpCaller[] = [];
    const events: RequestEvent[] = [];
    const { serving } = await serveWaiting();
    const tokens = [{ name: "alice", token: ALICE }, { name: "bob", token: BOB }, { token: "nobody-0123456789abcdef" }];
    const named = closing(
      await serveFactoryOverHttp({
        factory: (caller) => {
          callers.push(caller);
          throw new Error("not served here");
        },
        tokens,
        onRequest: (event) => events.push(event),
      }),
    );
    expect(named.token).toBeUndefined();
    const as = (token: string, more: object = {}) =>
      send(named, { headers: { authorization: `Bearer ${token}`, ...HEADERS_2025, ...more }, body: INITIALIZE });
    for (const { token } of tokens) await as(token);
    await send(named, { headers: { authorization: `Bearer ${BOB}` } });
    expect(callers.map(({ era, principal: { name, named } }) => [era, name, named])).toEqual([
      ["legacy", "alice", true],
      ["legacy", "bob", true],
      ["legacy", "default", false],
      ["modern", "bob", true],
    ]);
    expect(callers.map(({ sessionId }) => typeof sessionId)).toEqual(["string", "string", "string", "undefined"]);
    expect((await send(named, { headers: { authorization: `Bearer ${serving.token}` } })).status).toBe(401);
    expect(events.map(({ status, path }) => [status, path])).toEqual([...Array(4).fill([500, "/mcp"]), [401, "/mcp"]]);
    expect(JSON.stringify([events, callers])).not.toContain("0123456789abcdef");
  });

  it("are refused when they are weak, twice there, or unspeakable", async () => {
    const { factory } = { factory: () => ({}) as never };
    const refused = async (...tokens: { name?: string; token: string }[]) => {
      const error = await serveFactoryOverHttp({ factory, tokens }).catch((reason: Error) => reason);
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

  it.skipIf(process.platform === "win32")(
    "are open to others by any right of the group or of all, and by no right of the owner",
    () => {
      const file = join(tempDir(), "tokens");
      writeFileSync(file, ALICE);
      const isOpen = (mode: number): boolean => {
        chmodSync(file, mode);
        return isOpenToOthers(file);
      };
      expect([0o400, 0o600, 0o700].filter(isOpen)).toEqual([]);
      const open = [0o640, 0o620, 0o610, 0o604, 0o602, 0o601];
      expect(open.filter(isOpen)).toEqual(open);
    },
  );

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
  const factory = () => ({}) as never;

  it("that others can reach need a token of the owner", async () => {
    for (const host of ["0.0.0.0", "::", "192.0.2.1", "example.com", "::ffff:192.0.2.1"])
      await expect(serveFactoryOverHttp({ factory, host })).rejects.toThrow(
        /can be reached from other machines, and no token/,
      );
    const open = closing(await serveFactoryOverHttp({ factory, host: "0.0.0.0", tokens: [{ token: ALICE }] }));
    expect(open.url).toBe(`http://127.0.0.1:${open.port}/mcp`);
    expect((await send(open, { method: "GET", headers: { authorization: `Bearer ${ALICE}` } })).status).not.toBe(401);
  });

  it("of this machine are its only ones otherwise", async () => {
    for (const host of ["127.0.0.1", "localhost", "127.0.0.5"]) {
      const serving = closing(await serveFactoryOverHttp({ factory, host }));
      expect(serving.url).toBe(`http://${host}:${serving.port}/mcp`);
    }
  });

  it("that are taken, or not there, are refused in words", async () => {
    const { serving } = await serveWaiting();
    await expect(serveFactoryOverHttp({ factory, port: serving.port })).rejects.toMatchObject({ kind: "busy" });
    await expect(serveFactoryOverHttp({ factory, port: 70_000 })).rejects.toMatchObject({ kind: "invalid_input" });
    const tokens = [{ token: ALICE }];
    await expect(serveFactoryOverHttp({ factory, host: "192.0.2.1", tokens })).rejects.toMatchObject({
      kind: "invalid_input",
    });
    for (const allowedHosts of [["https://files.example"], ["*"], ["files.example/mcp"], ["a b"], [""]])
      await expect(serveFactoryOverHttp({ factory, allowedHosts })).rejects.toThrow(/is not a host/);
    for (const allowedOrigins of [["files.example"], ["*"], ["null"], ["https://files.example/"], ["https://*"]])
      await expect(serveFactoryOverHttp({ factory, allowedOrigins })).rejects.toThrow(/is not an origin|is not a host/);
    await expect(serveFactoryOverHttp({ factory, limits: { bodyBytes: 0 } })).rejects.toMatchObject({
      kind: "invalid_input",
    });
    await expect(serveFactoryOverHttp({ factory, limits: { burst: 0.5 } })).rejects.toThrow(/at least 1 for burst/);
    await expect(serveFactoryOverHttp({ factory, limits: { bodyBites: 9 } as never })).rejects.toThrow(/bodyBites/);
  });
});
