// Large files that are read page by page: bytes that are still the same are decoded once, and one tenant reads one of them at a time.
import { readFileSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { disk } from "../../src/backends/disk/index.ts";
import { memory } from "../../src/backends/memory/index.ts";
import type { Backend } from "../../src/core/backend.ts";
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

describe("large files of one tenant", () => {
  /** Every read waits until it is let through. */
  function held(tenant: string) {
    const waiting: (() => void)[] = [];
    const own = memory({ files: { large: textOf(MIB, "one\n"), small: "two\n" } });
    const read: Backend["read"] = async (...args) => {
      await new Promise<void>((resolve) => waiting.push(resolve));
      return own.read(...args);
    };
    return { waiting, session: new Workspace({ ...own, name: tenant, tenant, read }).session() };
  }
  const moment = () => new Promise((resolve) => setTimeout(resolve, 20));

  it("are read one at a time; small ones, and those of another tenant, do not wait for them", async () => {
    const [greedy, neighbour] = [held("greedy"), held("neighbour")];
    const reads = ["large", "large", "large", "small"].map((path) => greedy.session.read(path));
    const other = neighbour.session.read("large");
    await moment();
    expect([greedy.waiting.length, neighbour.waiting.length]).toEqual([2, 1]);
    neighbour.waiting[0]!();
    await other;
    greedy.waiting[0]!();
    await expect.poll(() => greedy.waiting.length).toBe(3);
    await moment();
    expect(greedy.waiting.length).toBe(3);
    for (let n = 1; n < 4; n++) {
      await expect.poll(() => greedy.waiting.length).toBeGreaterThan(n);
      greedy.waiting[n]!();
    }
    expect((await Promise.all(reads)).map(({ path }) => path)).toEqual(["large", "large", "large", "small"]);
  });

  it("are not read when the caller has gone by then, and one that fails does not hold up the next", async () => {
    const { waiting, session } = held("leaving");
    const leaving = new AbortController();
    const failing = session.read("large", undefined, { encoding: "no such encoding" });
    const gone = session.read("large", undefined, { signal: leaving.signal });
    const last = session.read("large");
    leaving.abort();
    await expect.poll(() => waiting.length).toBe(1);
    waiting[0]!();
    await expect(failing).rejects.toMatchObject({ kind: "invalid_input" });
    await expect(gone).rejects.toMatchObject({ kind: "cancelled" });
    await expect.poll(() => waiting.length).toBe(2);
    waiting[1]!();
    expect((await last).lines).toBe(MIB / 4);
  });
});
