// Seed 001, how long the tracker remembers: as long as the session, no longer, and without a clock.
import { afterEach, describe, expect, it, vi } from "vitest";
import { disk } from "../../src/backends/disk/index.ts";
import { BACKENDS, directoryWith } from "../support/workspace.ts";
import { caller } from "./001-support.ts";

const EDIT = { file_path: "foo.txt", old_string: "two", new_string: "2" };
const YEAR_MS = 365 * 24 * 60 * 60 * 1000;

describe.each(BACKENDS)("seed 001, the age of a Read, on %s", (_name, make) => {
  afterEach(() => {
    vi.useRealTimers();
  });

  it("no TTL: a Read counts however long ago it was", async () => {
    const { text } = caller(make({ "foo.txt": "one\ntwo\n" }));
    await text("Read", { file_path: "foo.txt" });
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + YEAR_MS });
    expect(await text("Edit", EDIT)).toBe("replaced 1 occurrence(s) in foo.txt");
  });
});

describe("seed 001, a server that is started again", () => {
  it("no cross-session persistence: a workspace that is opened again remembers no Read", async () => {
    const root = directoryWith({ "foo.txt": "one\ntwo\n" });
    const open = () => caller(disk({ root, durability: "fast" }));
    const before = open();
    await before.text("Read", { file_path: "foo.txt" });
    await before.workspace.close();
    expect(await open().refused("Edit", EDIT)).toBe("refusing to edit foo.txt: Read it first");
  });
});
