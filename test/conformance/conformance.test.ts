// The official conformance suite against our own HTTP stack: guards, sessions and streams, with fixtures behind them or stet itself.
import { type HttpServing, serveOverHttp } from "stet/serve";
import { surfaceNamed } from "stet/surfaces";
import { afterAll, describe, expect, it } from "vitest";
import { serveFixture } from "../internal/support/conformance-fixture.ts";
import { directoryWith, workspaceIn } from "../support/workspace.ts";
import { missing, required, runSuite } from "./harness.ts";
import { startTokenProxy } from "./token-proxy.ts";

/** What the suite can see of our own server, which has none of its fixtures, no prompts and no logging. */
const WITHOUT_FIXTURES: Readonly<Record<string, readonly string[]>> = {
  "2026-07-28": [
    "completion-complete",
    "tools-list",
    "server-sse-multiple-streams",
    "resources-list",
    "sep-2164-resource-not-found",
    "dns-rebinding-protection",
    "http-header-validation",
  ],
  "2025-11-25": [
    "server-initialize",
    "ping",
    "completion-complete",
    "tools-list",
    "server-sse-multiple-streams",
    "resources-list",
    "dns-rebinding-protection",
    "server-session-lifecycle",
  ],
};

/** How many server scenarios each revision requires; the suite's exit code says whether they passed. */
const REQUIRED: Readonly<Record<string, number>> = { "2026-07-28": 37, "2025-11-25": 30 };

describe("conformance", () => {
  const close: (() => Promise<void>)[] = [];

  afterAll(async () => {
    for (const end of close.reverse()) await end();
  });

  /** Behind a proxy that adds the token, since the suite cannot; the guards know the server by the proxy's port. */
  async function urlOf(
    serve: (http: { allowedHosts: string[]; allowedOrigins: string[] }) => Promise<HttpServing>,
  ): Promise<string> {
    const proxy = await startTokenProxy();
    close.push(proxy.close);
    const host = `127.0.0.1:${proxy.port}`;
    const origins = [`http://${host}`, `http://localhost:${proxy.port}`];
    const serving = await serve({ allowedHosts: [host, `localhost:${proxy.port}`], allowedOrigins: origins });
    close.push(serving.close);
    proxy.towards(serving.port, serving.token!);
    return `http://127.0.0.1:${proxy.port}/mcp`;
  }

  it.skipIf(missing === undefined)("can be run here", (context) => {
    if (required) throw new Error(missing);
    context.skip(missing);
  });

  for (const [revision, scenarios] of Object.entries(REQUIRED))
    it.skipIf(missing !== undefined)(`passes all server scenarios that ${revision} requires`, async () => {
      const url = await urlOf(serveFixture);
      const { code, out, err } = await runSuite("server", "--url", url, "--requirements", revision);
      expect(code, out + err).toBe(0);
      const [, unscored = ""] = out.split("Not scored for");
      expect(passedIn(out).filter((name) => !unscored.includes(`✓ ${name} `))).toHaveLength(scenarios);
    });

  for (const [revision, scenarios] of Object.entries(WITHOUT_FIXTURES))
    it.skipIf(missing !== undefined)(`passes with our own server what needs no fixtures in ${revision}`, async () => {
      const workspace = workspaceIn(directoryWith({ "a.txt": "one\n" }));
      const options = { surface: surfaceNamed("workspace"), served: [{ name: "w", workspace }], version: "1" } as const;
      const url = await urlOf((http) => serveOverHttp(options, http));
      const { out } = await runSuite("server", "--url", url, "--requirements", revision);
      expect(passedIn(out)).toEqual(expect.arrayContaining([...scenarios]));
    });
});

/** At least one check, and none that failed. */
function passedIn(out: string): string[] {
  return [...out.matchAll(/^✓ (\S+): [1-9]\d* passed, 0 failed/gm)].map(([, name]) => name!);
}
