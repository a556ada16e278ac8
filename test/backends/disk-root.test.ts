// The root is moved, deleted or replaced while it is open: every part says so, and nothing is done in a directory that is not meant.
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Refusal, type Sha, type Workspace } from "stet";
import { afterEach, describe, expect, it } from "vitest";
import { all } from "../support/assertions.ts";
import { type Playground, playground } from "../support/playground.ts";
import { workspaceIn } from "../support/workspace.ts";

const places: Playground[] = [];
const workspaces: Workspace[] = [];
afterEach(async () => {
  for (const workspace of workspaces.splice(0)) await workspace.close();
  for (const place of places.splice(0)) place.remove();
});

/** `x.txt` and `y.txt` in a workspace that has a journal, and has shown `x.txt`. */
async function opened(at = (place: Playground) => place.ws) {
  const place = playground();
  places.push(place);
  place.file("x.txt", "old\n");
  const workspace = workspaceIn(at(place));
  workspaces.push(workspace);
  const session = workspace.session();
  const { entry } = await session.create("y.txt", "y\n");
  const { sha } = await session.read("x.txt");
  const away = join(place.base, "away");
  return { place, ws: place.ws, away, workspace, session, sha, entry: entry! };
}

type Opened = Awaited<ReturnType<typeof opened>>;

const FATES: readonly (readonly [string, (it: Opened) => void])[] = [
  ["moved away", ({ ws, away }) => renameSync(ws, away)],
  ["deleted", ({ ws }) => rmSync(ws, { recursive: true })],
  [
    "replaced",
    ({ ws, away }) => {
      renameSync(ws, away);
      mkdirSync(ws);
      writeFileSync(join(ws, "x.txt"), "new\n");
    },
  ],
  [
    "deleted and made anew",
    ({ ws }) => {
      rmSync(ws, { recursive: true });
      mkdirSync(ws);
      writeFileSync(join(ws, "x.txt"), "old\n");
    },
  ],
  [
    "replaced by a link to it",
    ({ ws, away, place }) => {
      renameSync(ws, away);
      symlinkSync(place.out, ws);
    },
  ],
];

const GONE = {
  kind: "unsupported",
  message: expect.stringMatching(/The workspace root '.*ws' was moved, deleted or replaced/),
  suggestedAction: "Start stet again for the directory that is meant.",
  recoverable: false,
};

describe.each(FATES)("a root that was %s", (_name, befall) => {
  it("takes no change, and has none made in it", async () => {
    const it = await opened();
    const { session, workspace, ws, away, sha } = it;
    befall(it);
    const before = [ws, away].map(namesIn);
    const { backend } = workspace;
    for (const change of [
      () => session.create("new.txt", "1\n"),
      () => session.write("x.txt", "2\n", { expectedSha256: sha }),
      () => session.delete("x.txt"),
      () => session.move("x.txt", "z.txt"),
      () => backend.keep([{ sha, size: 4, parts: [Buffer.from("old\n")] }]),
      () => backend.forget([sha]),
    ]) {
      expect((await refusalOf(change)).failure).toMatchObject(GONE);
    }
    expect([ws, away].map(namesIn)).toEqual(before);
  });

  it("is said wherever one looks", async () => {
    const it = await opened();
    const { workspace, entry } = it;
    const { backend } = workspace;
    befall(it);
    for (const look of [
      () => backend.resolve("."),
      () => backend.resolve("nothing.txt"),
      () => all(backend.list("" as never)),
      () => all(backend.log()),
      () => all(backend.kept()),
      () => backend.verify(),
      () => backend.recall(entry.changes[0]!.to as Sha),
    ]) {
      expect((await refusalOf(look)).failure).toMatchObject(GONE);
    }
    expect((await refusalOf(() => it.session.read("x.txt"))).failure).toMatchObject(GONE);
  });
});

it("a read may show what was there a moment ago, and no later", async () => {
  const { session, ws, away } = await opened();
  renameSync(ws, away);
  const end = performance.now() + 5000;
  const outcomes = new Set<string>();
  while (!outcomes.has("refused") && performance.now() < end) {
    outcomes.add(
      await session.read("x.txt").then(
        ({ body }) => body,
        () => "refused",
      ),
    );
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  expect(outcomes).toContain("refused");
});

it("everything works again once the root is back", async () => {
  const { session, ws, away } = await opened();
  renameSync(ws, away);
  await expect(session.create("new.txt", "1\n")).rejects.toThrow(Refusal);
  renameSync(away, ws);
  await session.create("new.txt", "1\n");
  expect((await session.read("new.txt")).body).toBe("1\n");
});

it("a root that was opened through a link is gone when the link leads elsewhere", async () => {
  const current = (place: Playground) => {
    symlinkSync(place.ws, join(place.base, "current"));
    return join(place.base, "current");
  };
  const { place, session, ws } = await opened(current);
  await session.create(join(place.base, "current", "a.txt"), "a\n");
  rmSync(join(place.base, "current"));
  symlinkSync(place.out, join(place.base, "current"));
  await expect(session.create(join(place.base, "current", "b.txt"), "b\n")).rejects.toThrow(/current' was moved/);
  expect([existsSync(join(ws, "b.txt")), namesIn(place.out)]).toEqual([false, []]);
});

it("a change that waits for the lock while the root goes is not made", async () => {
  const { session, ws, away } = await opened();
  // More than go together.
  const changes = Array.from({ length: 300 }, (_, n) =>
    session.create(`f${n}.txt`, "x\n").then(
      () => n,
      () => -1,
    ),
  );
  await changes[0];
  renameSync(ws, away);
  const made = (await Promise.all(changes)).filter((n) => n >= 0);
  const there = namesIn(away).filter((name) => name.startsWith("f"));
  expect(made.length).toBeLessThan(300);
  expect(there.sort()).toEqual(made.map((n) => `f${n}.txt`).sort());
});

it("what was written before the move is kept with it", async () => {
  const { session, workspace, ws, away } = await opened();
  const { files } = await session.create("kept.txt", "kept\n");
  renameSync(ws, away);
  await workspace.close();
  const moved = workspaceIn(away);
  workspaces.push(moved);
  expect(await moved.backend.recall(files[0]!.after!)).not.toBeNull();
});

function namesIn(directory: string): string[] {
  return existsSync(directory) ? readdirSync(directory).sort() : [];
}

async function refusalOf(act: () => Promise<unknown>): Promise<Refusal> {
  const error = await act().then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(Refusal);
  return error as Refusal;
}
