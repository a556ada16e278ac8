// Callers with tokens of an identity provider: a good one opens what its claims say, and every other one nothing.
import { createHmac } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { exportJWK, exportSPKI, generateKeyPair, type JWTPayload, SignJWT, UnsecuredJWT } from "jose";
import type { HttpServing } from "stet/serve";
import { afterAll, describe, expect, it } from "vitest";
import { stet } from "../support/cli.ts";
import type { Fleet } from "./fleet-support.ts";
import { modern, send } from "./http-support.ts";

const AUDIENCE = "https://stet.example/mcp";

export function ofIdentities({ serve, call, token, workspace, home, database, until }: Fleet): void {
  describe("an identity provider", async () => {
    const [known, strange] = [await generateKeyPair("ES256"), await generateKeyPair("ES256")];
    const jwk = { ...(await exportJWK(known.publicKey)), kid: "one", alg: "ES256", use: "sig" };
    let isAway = false;
    const provider = createServer((_request, response) => {
      response.writeHead(isAway ? 503 : 200, { "content-type": "application/json" });
      response.end(JSON.stringify({ keys: [jwk] }));
    });
    await new Promise<void>((resolve) => provider.listen(0, "127.0.0.1", resolve));
    afterAll(() => void provider.close());
    const issuer = `http://127.0.0.1:${(provider.address() as AddressInfo).port}`;
    const oauth = { issuer, audience: AUDIENCE, jwks: `${issuer}/jwks` };
    const server = await serve({ oauth });
    const mapped = await serve({
      oauth: { ...oauth, tenant: "acme", claims: { principal: "email", role: "r", workspaces: "scope" } },
    });
    await workspace("acme", "jwt", { "a.txt": "of acme\n" });
    await workspace("umbrella", "jwt", { "a.txt": "of umbrella\n" });

    const CLAIMS = { sub: "ada", stet_tenant: "acme", stet_role: "write", stet_workspaces: ["jwt"] };
    const signed = (more: JWTPayload = {}, { key = known.privateKey, kid = "one", over = "5m" } = {}) =>
      new SignJWT({ ...CLAIMS, iss: issuer, aud: AUDIENCE, ...more })
        .setProtectedHeader({ alg: "ES256", kid })
        .setExpirationTime(over)
        .sign(key);
    const read = (secret: string, to = server) => call(to, secret, "Read", { workspace: "jwt", file_path: "a.txt" });

    it("opens what its claims say: tenant, role and workspaces, and the journal names its subject", async () => {
      const ada = await signed({ stet_workspaces: "other jwt" });
      expect(await read(ada)).toMatchObject({ status: 200, isError: false, text: expect.stringContaining("of acme") });
      expect((await read(await signed({ stet_tenant: "umbrella" }))).text).toContain("of umbrella");
      const edit = { workspace: "jwt", file_path: "a.txt", old_string: "of", new_string: "by" };
      expect((await call(server, await signed({ stet_role: "read" }), "Edit", edit)).isError).toBe(true);
      expect((await read(await signed({ stet_workspaces: ["web"] }))).isError).toBe(true);
      expect((await call(server, ada, "Edit", edit)).isError).toBe(false);
      const log = await stet(["log", "--root", `${database.url}/acme/jwt`], { cwd: home });
      expect(log.out).toMatch(/ada.*Edit/);
      const named = await signed({ email: "bo@acme.example", r: "read", scope: "jwt" });
      expect((await read(named, mapped)).text).toContain("by acme");
      expect((await read(ada, mapped)).status).toBe(401);
    });

    it("every other token opens nothing, and is told where to get one", async () => {
      const hmac = (alg: string, secret: string): string => {
        const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64url");
        const body = `${part({ alg, kid: "one" })}.${part({ ...CLAIMS, iss: issuer, aud: AUDIENCE, exp: 4e9 })}`;
        return `${body}.${createHmac("sha256", secret).update(body).digest("base64url")}`;
      };
      const good = await signed();
      const [head, body, signature] = good.split(".") as [string, string, string];
      const more = Buffer.from(
        JSON.stringify({ ...CLAIMS, stet_tenant: "umbrella", iss: issuer, aud: AUDIENCE, exp: 4e9 }),
      );
      const never = await new SignJWT({ ...CLAIMS, iss: issuer, aud: AUDIENCE })
        .setProtectedHeader({ alg: "ES256", kid: "one" })
        .sign(known.privateKey);
      const bad: Readonly<Record<string, string>> = {
        "for another server": await signed({ aud: "https://other.example/mcp" }),
        "for no server": await signed({ aud: undefined as unknown as string }),
        "of another issuer": await signed({ iss: "https://other.example" }),
        over: await signed({}, { over: "-1m" }),
        "never over": never,
        "not yet": await signed({ nbf: 4e9 }),
        "of a key that is not known": await signed({}, { key: strange.privateKey }),
        "of a kid that is not known": await signed({}, { key: strange.privateKey, kid: "two" }),
        "without a signature": new UnsecuredJWT({ ...CLAIMS, iss: issuer, aud: AUDIENCE, exp: 4e9 }).encode(),
        "none in capitals": hmac("NONE", ""),
        "signed by the published key as a secret": hmac("HS256", await exportSPKI(known.publicKey)),
        "signed by the published key as JSON": hmac("HS256", JSON.stringify(jwk)),
        "with a signature of another": `${head}.${more.toString("base64url")}.${signature}`,
        "cut short": `${head}.${body}.${signature.slice(0, -4)}`,
        "of no tenant": await signed({ stet_tenant: undefined }),
        "of a tenant that is no name": await signed({ stet_tenant: "a\u0000b" }),
        "of no role": await signed({ stet_role: "admin" }),
        "of no workspaces": await signed({ stet_workspaces: [] }),
        "of workspaces that are none": await signed({ stet_workspaces: [1] }),
        "of nobody": await signed({ sub: "a b" }),
      };
      for (const [what, secret] of Object.entries(bad))
        expect([what, (await read(secret)).status]).toEqual([what, 401]);
      expect((await read(good)).status).toBe(200);
    });

    it("a good token without what it needs is told what that is, and so is the log", async () => {
      const end = new AbortController();
      const logged = await serve({ oauth }, ["--surface", "tracked", "--log-json"], { signal: until(end) });
      const told: string[] = [];
      const secrets = await Promise.all([
        signed({ stet_tenant: undefined }),
        signed({ stet_role: "admin" }),
        signed({ aud: "https://other.example/mcp" }),
        signed({}, { over: "-1m" }),
        signed({}, { key: strange.privateKey }),
      ]);
      for (const secret of secrets) {
        const { status, text } = await send({ ...logged, token: secret }, modern("tools/list"));
        expect(status).toBe(401);
        told.push(/opens nothing here: (.*)\. Get another one/.exec(JSON.parse(text).error.message)?.[1] ?? text);
      }
      expect(told).toEqual([
        "its claim stet_tenant must name a tenant",
        "its claim stet_role must be read, write, owner",
        "its claim aud is not what it must be",
        "it has expired",
        "none of the keys of the identity provider has signed it",
      ]);
      end.abort();
      const { err } = await logged.ran;
      const lines = err
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line));
      expect(lines.flatMap(({ denied }) => denied ?? [])).toEqual(told);
      for (const secret of secrets) expect(err).not.toContain(secret.split(".")[2]);
    });

    it("a request without one is told where the metadata is, and it names the issuer", async () => {
      const at = "https://stet.example/.well-known/oauth-protected-resource/mcp";
      const without = await fetch(mapped.url, { method: "POST" });
      expect([without.status, without.headers.get("www-authenticate")]).toEqual([
        401,
        `Bearer realm="stet", resource_metadata="${at}"`,
      ]);
      const wrong = await send({ ...mapped, token: "x.y.z" }, modern("tools/list"));
      expect(wrong.headers["www-authenticate"]).toContain('error="invalid_token"');
      for (const path of ["", "/mcp"]) {
        const answer = await fetch(new URL(`/.well-known/oauth-protected-resource${path}`, server.url));
        expect([answer.status, await answer.json()]).toEqual([
          200,
          {
            resource: AUDIENCE,
            authorization_servers: [issuer],
            bearer_methods_supported: ["header"],
            resource_name: "stet",
          },
        ]);
      }
      const posted = await fetch(new URL("/.well-known/oauth-protected-resource", server.url), { method: "POST" });
      expect(posted.status).toBe(405);
    });

    it("a role that is too small is told which scope to get, where there is one; else it is refused in words", async () => {
      const scoped = await serve({ oauth: { ...oauth, writeScope: "files.write" } });
      const write = { name: "Write", arguments: { workspace: "jwt", file_path: "b.txt", content: "x" } };
      const asked = async (to: HttpServing, secret: string, raw = modern("tools/call", write)) => {
        const { status, headers, text } = await send({ ...to, token: secret }, raw);
        return { status, challenge: headers["www-authenticate"], text };
      };
      const reader = await signed({ stet_role: "read" });
      const at = "https://stet.example/.well-known/oauth-protected-resource/mcp";
      const refused = await asked(scoped, reader);
      expect([refused.status, refused.challenge]).toEqual([
        403,
        `Bearer realm="stet", error="insufficient_scope", scope="files.write", resource_metadata="${at}"`,
      ]);
      expect(JSON.parse(refused.text)).toMatchObject({ id: 1, error: { message: expect.stringContaining("scope") } });
      const elsewhere = { ...write, arguments: { ...write.arguments, workspace: "never" } };
      expect(await asked(scoped, reader, modern("tools/call", elsewhere))).toEqual(refused);
      expect((await read(reader, scoped)).text).toContain("acme");
      expect((await call(scoped, reader, "NoSuchTool", {})).status).not.toBe(403);
      const { token: own } = await token({ role: "read", workspaces: ["jwt"] });
      for (const [to, secret] of [
        [server, reader],
        [scoped, own],
      ] as const) {
        const answer = await asked(to, secret);
        expect([answer.status, answer.challenge]).toEqual([200, undefined]);
        expect(answer.text).toContain("it changes files, and the workspace is read-only");
      }
      expect((await call(scoped, await signed(), "Write", write.arguments)).isError).toBe(false);
    });

    it("when the keys cannot be had, callers are sent back, not refused", async () => {
      isAway = true;
      const late = await serve({ oauth });
      expect((await read(await signed(), late)).status).toBe(503);
      isAway = false;
      expect((await read(await signed(), late)).status).toBe(200);
    });

    it("its addresses must be private ones", async () => {
      const plain = serve({ oauth: { ...oauth, jwks: "http://id.example/jwks" } });
      await expect(plain).rejects.toThrow(/oauth\.jwks: must begin with https/);
    });
  });
}
