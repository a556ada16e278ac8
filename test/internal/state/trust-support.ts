import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { Workspace } from "stet";
import { type DiskOptions, disk } from "stet/backends/disk";
import { expect } from "vitest";
import { all } from "../../support/assertions.ts";
import { tempDir } from "../../support/temp.ts";
import { directoryWith } from "../../support/workspace.ts";

export interface Used extends DiskOptions {
  readonly root: string;
  readonly registerDir: string;
}

/** With one entry, closed again. */
export async function used(more: Partial<DiskOptions> = {}): Promise<Used> {
  const at = { root: directoryWith({ "a.txt": "one\n" }), registerDir: tempDir(), ...more };
  await change(at, "a.txt", "two\n");
  return at;
}

export function recordsIn(registerDir: string): string[] {
  return readdirSync(registerDir).filter((name) => name.endsWith(".json"));
}

export async function change(at: DiskOptions, path: string, text: string): Promise<void> {
  const workspace = new Workspace(disk({ durability: "fast", ...at }));
  try {
    const session = workspace.session();
    const exists = await session.read(path).then(
      () => true,
      () => false,
    );
    if (exists) await session.write(path, text);
    else await session.create(path, text);
  } finally {
    await workspace.close();
  }
}

/** All of it, to be compared: names, kinds, modes, contents. */
export function everythingIn(dir: string): string {
  const names = readdirSync(dir, { recursive: true }).map(String).sort();
  return names
    .map((name) => {
      const stat = statSync(join(dir, name));
      return `${name} ${stat.mode} ${stat.mtimeMs} ${stat.isFile() ? readFileSync(join(dir, name), "latin1") : ""}`;
    })
    .join("\n");
}

/** Reads go on; what needs a history is refused with the reason and both ways out; nothing is written into it. */
export async function isForeign(at: Used, why: string, state = join(at.root, ".stet")): Promise<void> {
  const before = everythingIn(state);
  const workspace = new Workspace(disk({ durability: "fast", ...at }));
  const session = workspace.session();
  expect((await session.read("a.txt")).lines).toBe(1);
  await session.read(".env").catch(() => undefined);
  const asked = [
    () => session.write("a.txt", "three\n"),
    () => session.create("new.txt", "x"),
    () => all(workspace.log()),
    () => workspace.verify(),
    () => all(workspace.backend.kept()),
    () => workspace.backend.forget([]),
    () => workspace.backend.record({ session: "s", tool: "t", outcome: "note", changes: [] }),
  ];
  for (const ask of asked) {
    const { failure } = await ask().then(
      () => expect.fail(`${ask} was not refused`),
      (error) => error,
    );
    expect(["unsupported", "permission_denied"]).toContain(failure.kind);
    expect(failure.message).toContain(why);
    // What belongs to another user cannot be adopted, so it is not said.
    const waysOut = failure.kind === "permission_denied" ? /STET_STATE_DIR/ : /stet adopt .*stet adopt --afresh/;
    expect(failure.suggestedAction).toMatch(waysOut);
  }
  expect(await workspace.backend.unused?.()).toMatchObject({ failure: { message: expect.stringContaining(why) } });
  await workspace.close();
  expect(readFileSync(join(at.root, "a.txt"), "utf8")).toBe("two\n");
  expect(everythingIn(state)).toBe(before);
}
