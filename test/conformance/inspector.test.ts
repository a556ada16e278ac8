// The Inspector's command line against our real server: every surface is listed without a complaint, and tools are called.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type HttpServing, serveOverHttp } from "stet/serve";
import { surfaceNamed, surfaceNames } from "stet/surfaces";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { directoryWith, workspaceIn } from "../support/workspace.ts";
import { missing, required, runInspector } from "./harness.ts";

const project = fileURLToPath(new URL("../../", import.meta.url));
const root = directoryWith({ "a.txt": "one\n" });
const serving = new Map<string, HttpServing>();

beforeAll(async () => {
  if (missing !== undefined) return;
  for (const name of surfaceNames) {
    const workspace = workspaceIn(root);
    const options = { surface: surfaceNamed(name), served: [{ name: "w", workspace }], version: "1" } as const;
    serving.set(name, await serveOverHttp(options));
  }
});

afterAll(async () => {
  for (const one of serving.values()) await one.close();
});

describe("Inspector", () => {
  it.skipIf(missing === undefined)("can be run here", (context) => {
    if (required) throw new Error(missing);
    context.skip(missing);
  });

  it.skipIf(missing !== undefined)(
    "lists the tools of every surface over HTTP, each in one of the eras, strictly",
    async () => {
      const runs = surfaceNames.map((name, index) => {
        const era = index % 2 === 0 ? "modern" : "legacy";
        return listOf(name, overHttp(name, era));
      });
      for (const [name, tools] of await Promise.all(runs))
        expect(tools, name).toEqual(surfaceNamed(name).tools.map((tool) => tool.name));
    },
  );

  it.skipIf(missing !== undefined)("calls a tool over HTTP, in both eras", async () => {
    for (const era of ["modern", "legacy"])
      expect(await readOf(overHttp("workspace", era)), era).toMatchObject({
        content: [{ text: expect.stringContaining("one") }],
      });
  });

  it.skipIf(missing !== undefined)("is refused without the token", async () => {
    const { code, err } = await runInspector(serving.get("workspace")!.url, "--method", "tools/list", "-q");
    expect([code === 0, err]).toEqual([false, expect.stringMatching(/401|unauthori[sz]ed|auth/i)]);
  });

  it.skipIf(missing !== undefined)("lists and calls over stdio, started as a host would", async () => {
    const { bin } = JSON.parse(readFileSync(join(project, "package.json"), "utf8")) as { bin: { stet: string } };
    const command = [process.execPath, join(project, bin.stet), "mcp", root, "--surface", "workspace"];
    const [[, tools], read] = await Promise.all([listOf("workspace", command), readOf(command)]);
    expect(tools).toEqual(surfaceNamed("workspace").tools.map((tool) => tool.name));
    expect(read).toMatchObject({ content: [{ text: expect.stringContaining("one") }] });
  });
});

function overHttp(surface: string, era: string): readonly string[] {
  const { url, token } = serving.get(surface)!;
  return [url, "--header", `Authorization: Bearer ${token}`, "--protocol-era", era];
}

async function listOf(surface: string, target: readonly string[]): Promise<[string, string[]]> {
  const { code, out, err } = await runInspector(
    ...target,
    "--method",
    "tools/list",
    "--strict",
    "-q",
    "--format",
    "json",
  );
  expect([surface, code], out + err).toEqual([surface, 0]);
  return [surface, (resultIn(out) as { tools: { name: string }[] }).tools.map(({ name }) => name)];
}

async function readOf(target: readonly string[]): Promise<unknown> {
  const call = ["--method", "tools/call", "--tool-name", "read_file", "--tool-args-json", '{"path":"a.txt"}'];
  const { code, out, err } = await runInspector(...target, ...call, "-q", "--format", "json");
  expect(code, out + err).toBe(0);
  return resultIn(out);
}

/** The payload, with or without the envelope that `--format json` puts around it. */
function resultIn(out: string): unknown {
  const parsed = JSON.parse(out) as { result?: unknown };
  return parsed.result ?? parsed;
}
