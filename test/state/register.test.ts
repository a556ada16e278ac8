// The register of states: only what this user alone can write is believed, and each record only under its own id.
import {
  chmodSync,
  chownSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  symlinkSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { disk } from "../../src/backends/disk/index.ts";
import { openRegister, registerFor, type StateRecord } from "../../src/backends/disk/trust/register.ts";
import { createFile } from "../../src/kernel/verbs.ts";
import { Workspace } from "../../src/kernel/workspace.ts";
import { refuses } from "../../src/testing/assertions.ts";
import { tempDir } from "../support/temp.ts";
import { directoryWith } from "../support/workspace.ts";

const [A, B] = ["a".repeat(32), "b".repeat(32)] as const;
const record = (id: string): StateRecord => ({
  id,
  key: "0".repeat(64),
  dev: "1",
  ino: "2",
  born: "3",
  uid: 4,
  path: "/somewhere/.stet",
  modes: true,
  elsewhere: 0,
});

function contentOf(dir: string): string[] {
  return readdirSync(dir)
    .sort()
    .map((name) => `${name}: ${readFileSync(join(dir, name), "utf8")}`);
}

/** Neither a state that is recorded there is believed, nor is a new one recorded there. */
async function isNotUsed(spoil: (registerDir: string) => void, why: string): Promise<void> {
  const registerDir = tempDir();
  const known = directoryWith({ "a.txt": "only line of a\n" });
  const before = new Workspace(disk({ root: known, registerDir, durability: "fast" }));
  await createFile(before.session(), "made-before.txt", "made before\n");
  await before.close();
  spoil(registerDir);
  const content = contentOf(registerDir);
  for (const root of [known, directoryWith({ "a.txt": "only line of a\n" })]) {
    const workspace = new Workspace(disk({ root, registerDir, durability: "fast" }));
    const { failure } = await refuses("unsupported", () => createFile(workspace.session(), "new.txt", "new\n"));
    expect(failure.message).toContain(why);
    expect(failure.details).toMatchObject({ stateNotUsed: why });
    expect(failure.suggestedAction).toContain("STET_REGISTER");
    expect((await workspace.session().read("a.txt")).body).toBe("only line of a\n");
    await workspace.close();
    expect(existsSync(join(root, "new.txt"))).toBe(false);
  }
  const register = openRegister(registerDir, { flush: false });
  expect(() => register.find(A)).toThrow(why);
  expect(() => register.write(record(A))).toThrow(why);
  expect(contentOf(registerDir)).toEqual(content);
}

describe.skipIf(process.platform === "win32")("the register", () => {
  it.skipIf(process.getuid?.() !== 0)("of another user is not used, and nothing is written into it", () =>
    isNotUsed((dir) => chownSync(dir, 65_534, 65_534), "it belongs to another user"),
  );

  it.each([
    ["the group", 0o770],
    ["everybody", 0o702],
  ])("that %s can write is not used, and nothing is written into it", (_who, mode) =>
    isNotUsed((dir) => chmodSync(dir, mode), "other users can write there"),
  );

  it("that lies in the workspace is not used, also by a link from elsewhere", () => {
    const root = realpathSync(tempDir());
    const link = join(tempDir(), "register");
    mkdirSync(join(root, "register"));
    symlinkSync(join(root, "register"), link);
    for (const dir of [join(root, "register"), link, join(link, "not-yet")])
      expect(() => registerFor(root, dir, { flush: false }), dir).toThrow("lies in the workspace");
  });

  it("that others can read is used", () => {
    const dir = tempDir();
    chmodSync(dir, 0o755);
    const register = openRegister(dir, { flush: false });
    register.write(record(A));
    expect(register.find(A)).toEqual(record(A));
  });

  it("finds a record under its own id alone", () => {
    const dir = tempDir();
    const register = openRegister(dir, { flush: false });
    register.write(record(A));
    copyFileSync(join(dir, `${A}.json`), join(dir, `${B}.json`));
    expect(register.find(A)).toEqual(record(A));
    expect(register.find(B)).toBeNull();
    register.note(B, (known) => ({ ...known, spoiled: "noted" }));
    expect(readFileSync(join(dir, `${B}.json`), "utf8")).toBe(readFileSync(join(dir, `${A}.json`), "utf8"));
  });

  it("believes no record of which any part is not what it has to be", () => {
    const register = openRegister(tempDir(), { flush: false });
    const whole = { ...record(A), head: { seq: 7, hash: "0".repeat(64) }, spoiled: "noted" };
    register.write(whole);
    expect(register.find(A)).toEqual(whole);
    for (const wrong of [
      { head: null },
      { head: {} },
      { head: { seq: "7", hash: "0".repeat(64) } },
      { head: { seq: 7.5, hash: "0".repeat(64) } },
      { head: { seq: 7, hash: "0".repeat(63) } },
      { spoiled: true },
      { elsewhere: "0" },
      { key: "0".repeat(63) },
      { modes: 1 },
      { uid: "4" },
      { born: 3 },
    ]) {
      register.write({ ...whole, ...wrong } as StateRecord);
      expect([wrong, register.find(A)]).toEqual([wrong, null]);
    }
  });

  it("has records under ids alone, and leaves nothing behind of one that it could not write", () => {
    const dir = tempDir();
    const register = openRegister(dir, { flush: false });
    for (const id of ["../../victim", "", `${A}/x`, A.toUpperCase()]) {
      expect(() => register.find(id), id).toThrow("not an id");
      expect(() => register.write(record(id)), id).toThrow("not an id");
      expect(() => register.remove(id), id).toThrow("not an id");
    }
    mkdirSync(join(dir, `${A}.json`));
    expect(() => register.write(record(A))).toThrow("cannot use it");
    expect(readdirSync(dir).filter((name) => name.endsWith(".tmp"))).toEqual([]);
  });
});
