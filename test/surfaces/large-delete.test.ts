// Strict: a file that is too large to be read whole can still be deleted and moved by proof, and the refusals lead there.
import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { deskOn } from "../seeds/000-calls.ts";
import { BACKENDS } from "../support/workspace.ts";

const LIMIT = 4096;
const lines = Array.from({ length: 2000 }, (_, n) => `line ${n + 1}`).join("\n");
const FILES = {
  "lines.txt": `${lines}\n`,
  "one-line.json": "x".repeat(3 * LIMIT),
  "program.bin": Buffer.concat([Buffer.from([0, 1, 2]), Buffer.alloc(3 * LIMIT, 7)]),
};
const SHA = /sha256(?:=| is )([0-9a-f]{64})/;

describe.each(BACKENDS)("a file too large to be read whole, on %s", (_name, make) => {
  const open = () => deskOn(make(FILES), { strict: true, policy: { maxFileBytes: LIMIT } });

  it.each(Object.keys(FILES))("%s is deleted with the sha256 that read_file tells", async (path) => {
    const desk = open();
    const refused = await desk.no("delete_file", { path });
    expect(refused.text).toMatch(/^Delete rejected, file unchanged\. .*not been read/);
    expect(refused.suggestedAction).toMatch(/read the file/i);
    const told = await desk.session.workspace.backend.read((await desk.session.resolve(path, "read")).path);
    const answer = path.endsWith(".bin")
      ? await desk.no("read_file", { path })
      : await desk.ok("read_file", { path, maxBytes: 100 });
    const [, expectedSha256] = SHA.exec(answer.text) ?? [];
    expect(expectedSha256).toBe(
      createHash("sha256")
        .update(FILES[path as keyof typeof FILES])
        .digest("hex"),
    );
    expect(expectedSha256).toBe(told!.sha);
    await desk.ok("move_file", { fromPath: path, toPath: `moved-${path}`, expectedSha256 });
    const stale = { path: `moved-${path}`, expectedSha256: "0".repeat(64) };
    expect((await desk.no("delete_file", stale)).kind).toBe("stale_file");
    const { data } = await desk.ok("delete_file", { path: `moved-${path}`, expectedSha256 });
    expect(data).toMatchObject({ deleted: true, sizeBytes: told!.size, beforeSha256: expectedSha256 });
  });

  it("a page of it is a proof as well; one that was refused is none", async () => {
    const desk = open();
    await desk.ok("read_file", { path: "one-line.json", startColumn: LIMIT, maxBytes: 10 });
    await desk.ok("delete_file", { path: "one-line.json" });
    await desk.no("read_file", { path: "program.bin" });
    expect((await desk.no("delete_file", { path: "program.bin" })).kind).toBe("stale_file");
  });
});
