// Changes that another program made for a session: recorded as its own, and undone like its own.
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Backend, type Path, Workspace } from "stet";
import { disk } from "stet/backends/disk";
import { memory } from "stet/backends/memory";
import { expect, it } from "vitest";
import { all, path, refuses, textAt, version } from "../support/assertions.ts";
import { directoryWith } from "../support/workspace.ts";

const HOOK = { session: "hook", agent: "coder", tool: "Bash" };

/** A directory that another program works in; `known` keeps what is there, as a hook does before a call. */
function desk(files: Readonly<Record<string, string>> = {}) {
  const root = directoryWith(files);
  const workspace = new Workspace(disk({ root, durability: "fast" }));
  const { backend } = workspace;
  return {
    root,
    backend,
    session: workspace.session({ id: "owner" }),
    at: (name: string) => join(root, name),
    text: (name: string) => (existsSync(join(root, name)) ? readFileSync(join(root, name), "utf8") : null),
    known: (...names: string[]) => knownIn(backend, names),
    entries: async () =>
      (await all(backend.log())).map(({ outcome, session, changes }) => [outcome, session, changes.length]),
  };
}

async function knownIn(backend: Backend, names: readonly string[]) {
  const versions = await Promise.all(names.map((name) => backend.read(path(name))));
  await backend.keep(versions.filter((each) => each !== null));
  return names.map((name, n) => {
    const fromMode = versions[n]?.mode;
    return { path: path(name), from: versions[n]?.sha ?? null, ...(fromMode !== undefined && { fromMode }) };
  });
}

it("what a command changed, deleted and made is one entry, and undo takes it back", async () => {
  const { backend, session, at, text, known } = desk({ changed: "1\n", same: "same\n" });
  writeFileSync(at("run.sh"), "#!/bin/sh\n");
  chmodSync(at("run.sh"), 0o755);
  const before = await known("changed", "run.sh", "made", "same", "changed");
  writeFileSync(at("changed"), "2\n");
  rmSync(at("run.sh"));
  writeFileSync(at("made"), "new\n");
  const entry = await backend.witness(before, HOOK, { message: "$ ./build", details: { command: "./build" } });
  expect(entry).toMatchObject({ ...HOOK, seq: 1, outcome: "applied", message: "$ ./build" });
  expect(entry?.changes).toMatchObject([
    { path: "changed", from: version("1\n").sha, to: version("2\n").sha, fromSize: 2, toSize: 2, proof: "witnessed" },
    { path: "run.sh", from: version("#!/bin/sh\n").sha, to: null, fromMode: 0o755 },
    { path: "made", from: null, to: version("new\n").sha },
  ]);
  await session.undo({ entry: 1 });
  expect([text("changed"), text("run.sh"), text("made"), text("same")]).toEqual(["1\n", "#!/bin/sh\n", null, "same\n"]);
  expect(statSync(at("run.sh")).mode & 0o777).toBe(0o755);
  await session.undo({ entry: 2 });
  expect([text("changed"), text("run.sh"), text("made")]).toEqual(["2\n", null, "new\n"]);
  expect(await backend.verify()).toMatchObject({ ok: true, entries: 3 });
});

it("a whole session is undone, what it did by stet and what it had others do", async () => {
  const { backend, session, at, text, known } = desk({ a: "1\n", b: "1\n" });
  const own = session.workspace.session({ id: "hook" });
  const first = await known("a", "new");
  writeFileSync(at("a"), "2\n");
  writeFileSync(at("new"), "x\n");
  await backend.witness(first, HOOK);
  await own.read("a");
  await own.write("a", "3\n");
  const second = await known("a", "b");
  writeFileSync(at("a"), "4\n");
  rmSync(at("b"));
  await backend.witness(second, HOOK);
  expect(await session.undo({ session: "hook" })).toMatchObject({ undone: [3, 2, 1] });
  expect([text("a"), text("b"), text("new")]).toEqual(["1\n", "1\n", null]);
  expect(await backend.verify()).toMatchObject({ ok: true });
});

it("what happened unseen before it is an entry of its own, so that each step can be undone", async () => {
  const { backend, session, at, text, known, entries } = desk();
  for (const name of ["a", "b"]) await session.create(name, "1\n");
  for (const name of ["a", "b"]) writeFileSync(at(name), "2\n");
  const before = await known("a", "b", "new");
  for (const name of ["a", "b", "new"]) writeFileSync(at(name), "3\n");
  expect(await backend.witness(before, HOOK)).toMatchObject({ seq: 4, outcome: "applied" });
  expect((await entries()).slice(2)).toEqual([
    ["external", "hook", 2],
    ["applied", "hook", 3],
  ]);
  await session.undo({ entry: 4 });
  expect([text("a"), text("b"), text("new")]).toEqual(["2\n", "2\n", null]);
  await session.undo({ entry: 3 });
  expect([text("a"), text("b")]).toEqual(["1\n", "1\n"]);
  expect(await backend.verify()).toMatchObject({ ok: true });
});

it("what is as it was, and what the journal has by now, is not recorded", async () => {
  const { backend, session, at, known, entries } = desk({ a: "1\n", b: "1\n" });
  const before = await known("a", "b");
  expect(await backend.witness(before, HOOK)).toBeNull();
  await session.read("a");
  await session.write("a", "2\n");
  expect(await backend.witness(before, HOOK)).toBeNull();
  writeFileSync(at("b"), "2\n");
  expect((await backend.witness(before, HOOK))?.changes.map((each) => each.path)).toEqual(["b"]);
  expect(await entries()).toHaveLength(2);
});

it("is refused where the version before is not kept: it could not come back", async () => {
  const { backend, at, entries } = desk({ a: "1\n", b: "1\n" });
  const [b] = await knownIn(backend, ["b"]);
  for (const name of ["a", "b"]) writeFileSync(at(name), "2\n");
  const changes = [b!, { path: path("a"), from: version("never kept").sha }];
  const { failure } = await refuses("not_kept", () => backend.witness(changes, HOOK));
  expect(failure.message).toBe(`Nothing was recorded: version ${changes[1]!.from!.slice(0, 12)} of 'a' is not kept.`);
  expect(await entries()).toEqual([]);
});

it("a file in whose place a directory is by now counts as deleted", async () => {
  const { backend, session, at, known, text } = desk({ a: "1\n" });
  const before = await known("a");
  rmSync(at("a"));
  mkdirSync(at("a"));
  expect((await backend.witness(before, HOOK))?.changes).toMatchObject([{ path: "a", to: null }]);
  rmSync(at("a"), { recursive: true });
  await session.undo({ entry: 1 });
  expect(text("a")).toBe("1\n");
});

it("more than one record holds is kept, recorded and undone", async () => {
  const names = Array.from({ length: 40 }, (_, n) => `f${n}`);
  const content = (name: string, step: number) => `${name} ${step} `.repeat(80_000);
  const { backend, session, at, known, text } = desk(Object.fromEntries(names.map((name) => [name, content(name, 1)])));
  const before = await known(...names);
  for (const name of names) writeFileSync(at(name), content(name, 2));
  expect((await backend.witness(before, HOOK))?.changes).toHaveLength(40);
  await session.undo({ entry: 1 });
  expect(names.every((name) => text(name) === content(name, 1))).toBe(true);
  expect(await backend.verify()).toMatchObject({ ok: true });
});

it("what others changed at many paths is noticed as one entry", async () => {
  const { backend, session, at, entries } = desk();
  for (const name of ["a", "b", "c"]) await session.create(name, "1\n");
  writeFileSync(at("a"), "2\n");
  rmSync(at("b"));
  const paths = ["a", "b", "c", "unknown", "a"] as Path[];
  expect(await backend.notice(paths, HOOK)).toMatchObject({ outcome: "external", of: [1, 2] });
  expect(await backend.notice(paths, HOOK)).toBeNull();
  expect((await entries()).slice(3)).toEqual([["external", "hook", 2]]);
});

it("holds in memory too", async () => {
  const name = "witnessed";
  const backend = memory({ name, files: { a: "1\n" } });
  const before = await knownIn(backend, ["a", "made"]);
  memory({ name, files: { a: "2\n", made: "new\n" } });
  await refuses("not_kept", () => backend.witness([{ path: path("a"), from: version("?").sha }], HOOK));
  expect(await backend.witness(before, HOOK)).toMatchObject({ outcome: "applied", changes: [{}, {}] });
  await new Workspace(backend).session().undo({ session: "hook" });
  expect([await textAt(backend, "a"), await textAt(backend, "made")]).toEqual(["1\n", null]);
  expect(await backend.verify()).toMatchObject({ ok: true });
});
