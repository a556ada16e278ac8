// The state directory moved, deleted or replaced while it is open: noticed before anything is changed, never two journals.
import { cpSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openWorkspace, type Session, type Workspace } from "stet";
import { afterEach, describe, expect, it } from "vitest";
import { all, refuses } from "../support/assertions.ts";
import { tempDir } from "../support/temp.ts";
import { directoryWith } from "../support/workspace.ts";

const opened: Workspace[] = [];
afterEach(async () => {
  for (const workspace of opened.splice(0)) await workspace.close();
});

interface Place {
  readonly root: string;
  readonly state: string;
  readonly workspace: Workspace;
  readonly session: Session;
  open(): Workspace;
}

const PLACES = [[".stet"], ["a stateDir elsewhere"], ["a stateDir behind a link"]] as const;

async function place(kind: (typeof PLACES)[number][0]): Promise<Place> {
  const root = directoryWith({});
  const elsewhere = tempDir();
  const state = kind === ".stet" ? join(root, ".stet") : join(elsewhere, "state");
  let stateDir = state;
  if (kind === "a stateDir behind a link") {
    mkdirSync(state);
    stateDir = join(elsewhere, "link");
    symlinkSync(state, stateDir);
  }
  const open = (): Workspace => {
    const workspace = openWorkspace({ root, durability: "fast", ...(kind !== ".stet" && { stateDir }) });
    opened.push(workspace);
    return workspace;
  };
  const workspace = open();
  const session = workspace.session();
  await session.create("a", "1");
  return { root, state, workspace, session, open };
}

/** What a workspace whose state has gone says to everything that needs it. */
async function saysSo({ root, workspace, session }: Place): Promise<void> {
  const uses = {
    change: () => session.create("b", "2"),
    log: () => all(workspace.log()),
    kept: () => all(workspace.backend.kept()),
    verify: () => workspace.verify(),
  };
  for (const [name, use] of Object.entries(uses)) {
    const refusal = await refuses("unsupported", use);
    expect([name, refusal.failure.message]).toEqual([name, expect.stringMatching(/was moved, deleted or replaced/)]);
    expect(refusal.failure.suggestedAction).toBe("Start stet again.");
  }
  expect(existsSync(join(root, "b"))).toBe(false);
}

describe.each(PLACES)("%s", (kind) => {
  it("deleted: changes are refused, and none is made again behind the owner's back", async () => {
    const at = await place(kind);
    rmSync(at.state, { recursive: true });
    await saysSo(at);
    for (const text of ["1", "changed by others"]) {
      writeFileSync(join(at.root, "a"), text);
      expect((await at.session.read("a")).body).toBe(text);
    }
    expect(existsSync(at.state)).toBe(false);
  });

  it("moved: nothing more goes there, and it is used again when it is back", async () => {
    const at = await place(kind);
    const aside = `${at.state}-aside`;
    renameSync(at.state, aside);
    const names = () => readdirSync(aside, { recursive: true }).sort();
    const before = names();
    await saysSo(at);
    expect(names()).toEqual(before);
    renameSync(aside, at.state);
    await at.session.create("b", "2");
    expect(await all(at.workspace.log())).toHaveLength(2);
    expect(await at.workspace.verify()).toMatchObject({ ok: true, entries: 2 });
  });

  it("replaced by a copy: neither is written", async () => {
    const at = await place(kind);
    renameSync(at.state, `${at.state}-aside`);
    cpSync(`${at.state}-aside`, at.state, { recursive: true });
    const { failure } = await refuses("unsupported", () => at.open().session().create("theirs", "3"));
    expect(failure.message).toContain("is a copy of another state");
    await saysSo(at);
  });

  it("replaced by that of another process: only the new one is written", async () => {
    const at = await place(kind);
    renameSync(at.state, `${at.state}-aside`);
    if (kind === "a stateDir behind a link") mkdirSync(at.state);
    const other = at.open();
    await other.session().create("theirs", "3");
    await saysSo(at);
    const count = (await all(other.log())).length;
    expect(await other.verify()).toMatchObject({ ok: true, entries: count });
  });
});

it("nobody is told of a state that was never opened", async () => {
  const root = directoryWith({ a: "1" });
  const [reader, writer] = [openWorkspace({ root }), openWorkspace({ root })];
  opened.push(reader, writer);
  await writer.session().create("b", "");
  rmSync(join(root, ".stet"), { recursive: true });
  expect(await all(reader.log())).toEqual([]);
  expect(await reader.verify()).toMatchObject({ ok: true, entries: 0 });
});
