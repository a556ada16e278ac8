// stet doctor where something is unusable: it says so and examines the rest.
import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { stet } from "../support/cli.ts";
import { directoryWith } from "../support/workspace.ts";

interface Finding {
  readonly about: string;
  readonly state: string;
  readonly what: string;
  readonly means?: string;
}

async function examined(
  cwd: string,
  env: Readonly<Record<string, string>> = {},
): Promise<{ code: number; of(about: string): Finding | undefined }> {
  const { code, json } = await stet(["doctor", "--json"], { cwd, env });
  const { findings } = json() as { findings: readonly Finding[] };
  return { code, of: (about) => findings.find((finding) => finding.about === about) };
}

describe("stet doctor", () => {
  it.each(["nowhere", ".stet"])("takes a link to %s, which leads nowhere, for no directory", async (target) => {
    const cwd = directoryWith({ "a.txt": "a" });
    symlinkSync(target, join(cwd, ".stet"));
    const { code, of } = await examined(cwd);
    expect([code, of(".stet")?.what]).toEqual([1, expect.stringContaining("is no directory")]);
    expect(of("journal")).toMatchObject({ state: "ok" });
  });

  it("says that tools which clash, or an unfit variable of theirs, let nothing start, and examines the root", async () => {
    const clash = directoryWith({ "stet.config.json": '{ "surface": "tracked,compact" }' });
    const here = directoryWith({ "stet.config.json": "{}" });
    const inFile = await examined(clash);
    const outside = await examined(here, { STET_SURFACE: "nonsense" });
    vi.stubEnv("STET_FS_READ_ONLY", "maybe");
    const variable = await examined(here, { STET_SURFACE: "files" }).finally(() => vi.unstubAllEnvs());
    const found = [inFile, outside, variable];
    expect(found.map(({ code, of }) => [code, of("surface")?.state, of("journal")?.state])).toEqual(
      found.map(() => [1, "fail", "ok"]),
    );
    expect(inFile.of("surface")?.what).toContain("stet.config.json:1:14: surface:");
    expect(variable.of("surface")?.what).toContain("STET_FS_READ_ONLY");
    expect((await examined(here, { STET_SURFACE: "files" })).of("surface")).toBeUndefined();
  });
});
