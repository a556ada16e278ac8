// Large files that are read page by page: bytes that are still the same are decoded once.
import { readFileSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { disk } from "../../src/backends/disk/index.ts";
import { versionOf } from "../../src/core/version.ts";
import { Workspace } from "../../src/kernel/workspace.ts";
import { BACKENDS, directoryWith } from "../support/workspace.ts";

const MIB = 1024 * 1024;
const SECOND = { from: 2, to: 2 };

const textOf = (bytes: number, line: string): string => line.repeat(Math.ceil(bytes / line.length));

describe.each(BACKENDS)("a large file that is read again, on %s", (_name, make) => {
  it.each([1, 6])("has the same %d MiB, which are decoded once", async (mib) => {
    const session = new Workspace(make({ a: textOf(mib * MIB, "one\ntwo\n") })).session();
    const first = await session.read("a", { from: 1, to: 1 });
    const second = await session.read("a", SECOND);
    expect(second.whole!.text === first.whole!.text).toBe(true);
    expect(second).toMatchObject({ body: "two\n", sha: first.sha, lines: first.lines, size: first.size });
    expect(versionOf(second.whole!.version.parts).sha).toBe(first.sha);
  });

  it("is decoded anew in another encoding, and after a change", async () => {
    const session = new Workspace(make({ a: textOf(MIB, "ä\nö\n") })).session();
    expect((await session.read("a", SECOND)).body).toBe("ö\n");
    expect((await session.read("a", SECOND, { encoding: "latin1" })).body).toBe("Ã¶\n");
    expect((await session.read("a", SECOND)).body).toBe("ö\n");
    await session.write("a", textOf(MIB, "o\nü\n"), { proof: { by: "waived" } });
    expect((await session.read("a", SECOND)).body).toBe("ü\n");
  });
});

describe("a large file that another program changes", () => {
  it.each([1, 6])("is shown as it is: %d MiB of the same size and time", async (mib) => {
    const root = directoryWith({ a: textOf(mib * MIB, "one\ntwo\n") });
    const session = new Workspace(disk({ root })).session();
    await session.read("a", SECOND);
    const { atime, mtime } = statSync(join(root, "a"));
    const bytes = readFileSync(join(root, "a"));
    bytes.write("end\n", bytes.length - 4);
    writeFileSync(join(root, "a"), bytes);
    utimesSync(join(root, "a"), atime, mtime);
    const read = await session.read("a", SECOND);
    expect(read.sha).toBe(versionOf([bytes]).sha);
    expect(read.whole!.text.body.endsWith("one\nend\n")).toBe(true);
    writeFileSync(join(root, "a"), bytes.subarray(0, -4));
    expect((await session.read("a", SECOND)).sha).toBe(versionOf([bytes.subarray(0, -4)]).sha);
  });
});
