// The disk does not confirm a flush of the log: the change is refused, nothing of it is in place, and no page of that file is relied on again.
import fs, { readFileSync, statSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { join } from "node:path";
import { type Backend, Workspace } from "stet";
import { disk } from "stet/backends/disk";
import { expect, it } from "vitest";
import { AUTHOR, all, change, inEffect, path, refuses, version } from "../support/assertions.ts";
import { historyIn, segmentsIn } from "../support/history-place.ts";
import { tempDir } from "../support/temp.ts";
import { directoryWith } from "../support/workspace.ts";

/** The flushes for which `fails` says so fail while `work` runs, by the path of what is flushed. */
async function whileFlushesFail<T>(fails: (path: string) => boolean, work: () => Promise<T>): Promise<T> {
  const { fdatasync, fdatasyncSync, fsyncSync } = fs;
  const failure = () => Object.assign(new Error("EIO: injected"), { code: "EIO", errno: -5 });
  const isFailing = (fd: number): boolean => fails(fs.readlinkSync(`/proc/self/fd/${fd}`));
  const patched = {
    fdatasync: (fd: number, done: (error: Error | null) => void) =>
      isFailing(fd) ? setImmediate(() => done(failure())) : fdatasync(fd, done),
    fdatasyncSync(fd: number) {
      if (isFailing(fd)) throw failure();
      fdatasyncSync(fd);
    },
    fsyncSync(fd: number) {
      if (isFailing(fd)) throw failure();
      fsyncSync(fd);
    },
  };
  Object.assign(fs, patched);
  syncBuiltinESMExports();
  try {
    return await work();
  } finally {
    Object.assign(fs, { fdatasync, fdatasyncSync, fsyncSync });
    syncBuiltinESMExports();
  }
}

const isSegment = (at: string): boolean => at.endsWith(".log");

function once(fits: (path: string) => boolean): (path: string) => boolean {
  let left = 1;
  return (at) => fits(at) && left-- > 0;
}

async function setUp(): Promise<{ root: string; home: string; backend: Backend }> {
  const [root, home] = [directoryWith({ a: "old\n" }), tempDir()];
  const backend = disk({ root, stateDir: home });
  await backend.commit([change("b", null, version("b\n"))], AUTHOR);
  await backend.record({ ...AUTHOR, outcome: "note", changes: [], message: "not flushed yet" });
  return { root, home, backend };
}

const replace = (backend: Backend) => backend.commit([change("a", version("old\n").sha, version("new\n"))], AUTHOR);

it("fails once: refused, another entry says that it did not happen, and the log goes on in another file", async () => {
  const { root, home, backend } = await setUp();
  const [segment] = segmentsIn(historyIn(home));
  const before = { ino: statSync(segment!).ino, bytes: readFileSync(segment!) };
  await whileFlushesFail(once(isSegment), () => refuses("io_error", () => replace(backend)));
  expect(readFileSync(join(root, "a"), "utf8")).toBe("old\n");
  const entries = await all(backend.log({ newestFirst: false }));
  expect(entries.map(({ outcome }) => outcome)).toEqual(["applied", "note", "applied", "aborted"]);
  expect(inEffect(entries).map(({ seq }) => seq)).toEqual([1, 2]);
  expect(await backend.head(path("a"))).toBeNull();
  // All that was in the file whose pages may be lost, also what nobody had flushed yet, lies in another one now.
  const after = segmentsIn(historyIn(home));
  expect(after.map((each) => statSync(each).ino)).not.toContain(before.ino);
  expect(Buffer.concat(after.map((each) => readFileSync(each))).subarray(0, before.bytes.length)).toEqual(before.bytes);
  await replace(backend);
  expect(readFileSync(join(root, "a"), "utf8")).toBe("new\n");
  expect((await backend.verify()).problems).toEqual([]);
  await backend.close();
});

it("fails for a while, whatever is flushed: refused, and whole after the next change", async () => {
  for (const fits of [isSegment, () => true]) {
    const { root, home, backend } = await setUp();
    const { failure } = await whileFlushesFail(fits, () => refuses("io_error", () => replace(backend)));
    await backend.commit([change("c", null, version("c\n"))], AUTHOR);
    // Where not even that could be written down, the change is finished instead, as the refusal says.
    const isFinished = failure.details?.unfinished === true;
    expect(readFileSync(join(root, "a"), "utf8")).toBe(isFinished ? "new\n" : "old\n");
    const paths = inEffect(await all(backend.log({ newestFirst: false }))).flatMap(({ changes }) =>
      changes.map((each) => each.path),
    );
    expect(paths).toEqual(isFinished ? ["b", "a", "c"] : ["b", "c"]);
    await backend.close();
    const again = new Workspace(disk({ root, stateDir: home }));
    expect((await again.verify()).problems).toEqual([]);
    expect((await again.session().read("a")).body).toBe(isFinished ? "new\n" : "old\n");
    await again.close();
  }
});

it("of a file of the tree, which nobody waits for, fails: the change stands, since the log has its bytes", async () => {
  const { root, backend } = await setUp();
  await whileFlushesFail(
    (at) => at.startsWith(`${root}/`),
    () => replace(backend),
  );
  expect(readFileSync(join(root, "a"), "utf8")).toBe("new\n");
  expect(await backend.recall(version("new\n").sha)).not.toBeNull();
  await backend.close();
});
