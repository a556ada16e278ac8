// stet doctor where the state is unusable: it says so and examines the rest.
import { chmodSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { stet } from "../support/cli.ts";
import { directoryWith } from "../support/workspace.ts";
import { deskWith, rewrite } from "./history-support.ts";

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
  it.each(["nowhere", ".stet"])("takes a link to %s, which leads nowhere, for no state", async (target) => {
    const cwd = directoryWith({ "a.txt": "a" });
    symlinkSync(target, join(cwd, ".stet"));
    const { code, of } = await examined(cwd);
    expect([code, of("state")?.what]).toEqual([1, expect.stringContaining("is no directory")]);
    expect(of("journal")).toMatchObject({ state: "fail" });
  });

  it("names stateDir where the state was moved away behind a link", async () => {
    const cwd = directoryWith({ "a.txt": "a" });
    symlinkSync(directoryWith({}), join(cwd, ".stet"));
    const { code, of } = await examined(cwd);
    expect(code).toBe(1);
    for (const about of ["state", "journal"])
      expect(of(about)).toMatchObject({ state: "fail", means: expect.stringMatching(/^Name .* as stateDir, and/) });
  });

  it("says that nothing can be changed where it cannot be remembered which states were made here", async () => {
    const cwd = directoryWith({ "a.txt": "a" });
    const open = directoryWith({});
    chmodSync(open, 0o777);
    const file = join(directoryWith({ file: "" }), "file");
    // A state that is there already, and empty, is as new as none.
    const begun = directoryWith({ "a.txt": "a" });
    mkdirSync(join(begun, ".stet"), { mode: 0o700 });
    const rows = [
      [cwd, { STET_REGISTER: open }, "other users can write there"],
      [begun, { STET_REGISTER: open }, "other users can write there"],
      [cwd, { STET_REGISTER: file }, "it is not a directory"],
      // ENOTDIR on Node 20; later versions call it EACCES.
      [cwd, { STET_REGISTER: join(file, "below") }, "cannot use it: E"],
    ] as const;
    for (const [where, env, why] of rows) {
      const { code, of } = await examined(where, env);
      expect([code, of("state")]).toMatchObject([1, { state: "fail", what: expect.stringContaining(why) }]);
      expect(of("state")?.means).toContain("STET_REGISTER");
    }
    const made = join(directoryWith({}), "new", "register");
    expect((await examined(cwd, { STET_REGISTER: made })).of("state")).toMatchObject({ state: "ok" });
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

  it("goes on where the system refuses to open the state, and examines the other roots", async () => {
    const cwd = directoryWith({ "stet.config.json": '{ "roots": ["a", "b"] }', "a/x": "", "b/x": "" });
    mkdirSync(join(cwd, "a/.stet/format"), { recursive: true });
    const { code, of } = await examined(cwd);
    expect(code).toBe(1);
    expect(of("a: state")).toMatchObject({ state: "fail", what: expect.stringContaining("is not used") });
    expect(of("a: journal")).toBeUndefined();
    expect(of("b: journal")).toMatchObject({ state: "ok" });
  });

  it.skipIf(process.getuid === undefined || process.getuid() === 0)("tells an owner without rights", async () => {
    const cwd = directoryWith({ ".stet/x": "" });
    chmodSync(join(cwd, ".stet"), 0o500);
    const { of } = await examined(cwd);
    expect(of("state")).toMatchObject({ state: "fail", means: expect.stringContaining("chmod -R u+rwX") });
  });

  it("sends to stet verify when the journal was altered", async () => {
    const desk = deskWith({ "a.txt": "0\n" });
    await desk.as("anna", (session) => rewrite(session, "a.txt", "1\n"));
    const segment = join(desk.root, ".stet/journal/0000000000000001.jsonl");
    writeFileSync(segment, readFileSync(segment, "utf8").replace("write_file", "WRITE_file"));
    const { code, of } = await examined(desk.root);
    expect([code, of("journal")?.means]).toEqual([1, expect.stringMatching(/^Run stet verify/)]);
  });
});
