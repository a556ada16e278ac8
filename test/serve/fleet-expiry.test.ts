// Tokens at their edges: when one ends, so do its streams; how many workspaces one of an identity provider may name, and where its metadata is.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from "jose";
import { afterAll, describe, expect, it } from "vitest";
import { missingPostgres } from "../../scripts/postgres.mjs";
import { startFleet } from "./fleet-support.ts";
import { HEADERS_2025, modern, openStream, send } from "./http-support.ts";

const AUDIENCE = "https://stet.example";

describe.skipIf(missingPostgres() !== undefined)("tokens at their edges", async () => {
  if (missingPostgres() !== undefined) return;
  const fleet = await startFleet();
  const { privateKey, publicKey } = await generateKeyPair("ES256");
  const jwk = { ...(await exportJWK(publicKey)), kid: "one", alg: "ES256", use: "sig" };
  const provider = createServer((_request, response) => {
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ keys: [jwk] }));
  });
  await new Promise<void>((resolve) => provider.listen(0, "127.0.0.1", resolve));
  afterAll(async () => {
    await fleet.end();
    provider.close();
  });
  const issuer = `http://127.0.0.1:${(provider.address() as AddressInfo).port}`;
  const oauth = { issuer, audience: AUDIENCE, jwks: `${issuer}/jwks` };
  const server = await fleet.serve({ oauth });
  await fleet.workspace("acme", "jwt", { "a.txt": "of acme\n" });

  const signed = (over: string, more: JWTPayload = {}) =>
    new SignJWT({ sub: "ada", stet_tenant: "acme", stet_role: "write", stet_workspaces: ["jwt"], ...more })
      .setProtectedHeader({ alg: "ES256", kid: "one" })
      .setIssuer(issuer)
      .setAudience(AUDIENCE)
      .setExpirationTime(over)
      .sign(privateKey);
  const status = async (secret: string) => (await send({ ...server, token: secret }, modern("tools/list"))).status;

  it("a stream ends with its token; that of one that holds for months, longer than a timer can, stays", async () => {
    const short = await openStream(server, await signed("2s"));
    const long = await openStream(server, await signed("90d"));
    await expect.poll(short.isOver, { timeout: 30_000 }).toBe(true);
    expect(long.isOver()).toBe(false);
    long.end();
  });

  it("so it is with a token of the database that was made to end", async () => {
    const { token: ending } = await fleet.token({ expires: "2s", workspaces: ["jwt"] });
    const { token: lasting } = await fleet.token({ workspaces: ["jwt"] });
    const [short, long] = [await openStream(server, ending), await openStream(server, lasting)];
    await expect.poll(short.isOver, { timeout: 30_000 }).toBe(true);
    expect(long.isOver()).toBe(false);
    long.end();
  });

  it("clocks may differ by seconds, not by half a minute", async () => {
    expect([await status(await signed("-1s")), await status(await signed("-30s"))]).toEqual([200, 401]);
  });

  it("names a hundred workspaces at most", async () => {
    const names = (count: number) => ({ stet_workspaces: Array.from({ length: count }, (_, n) => `w${n}`) });
    expect([await status(await signed("5m", names(100))), await status(await signed("5m", names(101)))]).toEqual([
      200, 401,
    ]);
  });

  it("a batch in which one call needs more than the role read is told which scope to get", async () => {
    const scoped = await fleet.serve({ oauth: { ...oauth, writeScope: "files.write" } });
    const calls = ["Read", "Write"].map((name, id) => ({
      jsonrpc: "2.0",
      id,
      method: "tools/call",
      params: { name, arguments: { file_path: "a.txt", content: "x" } },
    }));
    const reader = await signed("5m", { stet_role: "read" });
    const asked = (batch: readonly object[]) =>
      send({ ...scoped, token: reader }, { headers: HEADERS_2025, body: JSON.stringify(batch) });
    const { status: code, headers, text } = await asked(calls);
    expect([code, headers["www-authenticate"]]).toEqual([403, expect.stringContaining('scope="files.write"')]);
    expect(JSON.parse(text)).toMatchObject({ id: 1 });
    expect((await asked(calls.slice(0, 1))).status).not.toBe(403);
  });

  it("for a server without a path, the metadata is where it is asked for", async () => {
    const { status: code, headers } = await fetch(server.url, { method: "POST" });
    expect([code, headers.get("www-authenticate")]).toEqual([
      401,
      `Bearer realm="stet", resource_metadata="${AUDIENCE}/.well-known/oauth-protected-resource"`,
    ]);
  });
});
