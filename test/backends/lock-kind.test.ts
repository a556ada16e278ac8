// Two kinds of lock do not see each other: a workspace has one kind, and whoever cannot use it is refused.
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { openLock } from "../../src/backends/disk/lock/lock.ts";
import { arena } from "../races/lock-processes.ts";
import { temporaryDirectory } from "./journal-fixture.ts";

describe("the kind of lock", () => {
  it("is chosen by the first who opens it and kept to by the next", () => {
    const dir = temporaryDirectory();
    const first = openLock(dir, { flavour: "link" });
    const second = openLock(dir);
    expect([first.kind, second.kind]).toEqual(["link", "link"]);
    first.close();
    second.close();
    expect(fs.readFileSync(`${dir}/lock-kind`, "utf8")).toBe("link\n");
  });

  it("is the system's own where that can be had", () => {
    const lock = openLock(temporaryDirectory());
    expect(lock.kind).toBe(`flock ${process.platform}`);
    lock.close();
  });

  it.each([
    ["link", "flock"],
    ["flock", "link"],
  ] as const)("%s is not mixed with %s", (recorded, wanted) => {
    const dir = arena(recorded);
    const opening = () => openLock(`${dir}/lock`, { flavour: wanted });
    expect(opening).toThrow(expect.objectContaining({ kind: "unsupported" }));
  });

  it("that nobody here knows is refused", () => {
    const dir = temporaryDirectory();
    fs.writeFileSync(`${dir}/lock-kind`, "flock plan9\n");
    expect(() => openLock(dir)).toThrow(expect.objectContaining({ kind: "unsupported" }));
    fs.writeFileSync(`${dir}/lock-kind`, "");
    expect(() => openLock(dir)).toThrow(expect.objectContaining({ kind: "unsupported" }));
  });

  it("that needs the native package is refused where that does not load, and the other one used for new workspaces", () => {
    const elsewhere = temporaryDirectory();
    for (const part of ["backends", "core"]) {
      fs.cpSync(fileURLToPath(new URL(`../../dist/${part}`, import.meta.url)), `${elsewhere}/dist/${part}`, {
        recursive: true,
      });
    }
    fs.writeFileSync(`${elsewhere}/package.json`, '{ "type": "module" }');
    fs.mkdirSync(`${elsewhere}/new`);
    const script = `
      import { openLock } from "./dist/backends/disk/lock/lock.js";
      const lock = openLock("./new");
      lock.tryAcquire()();
      let refused;
      try { openLock(process.argv[1]); } catch (error) { refused = error.failure; }
      process.stdout.write(JSON.stringify({ kind: lock.kind, refused }));
    `;
    const { stdout, stderr } = spawnSync(
      process.execPath,
      ["--input-type=module", "-e", script, `${arena("flock")}/lock`],
      {
        cwd: elsewhere,
        encoding: "utf8",
      },
    );
    expect(stderr).toBe("");
    expect(JSON.parse(stdout)).toMatchObject({
      kind: "link",
      refused: { kind: "unsupported", message: expect.stringContaining("fs-native-extensions does not load") },
    });
  });
});
