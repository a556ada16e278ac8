// Random histories against a naive model: what files hold, what the journal tells, and what can be had back.
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import fc from "fast-check";
import {
  type Backend,
  bytesOf,
  collectGarbage,
  openCheckpoint,
  openWorkspace,
  purge,
  Refusal,
  restore,
  rollBackTo,
  type Session,
  type UndoWhat,
  versionOf,
  type Workspace,
} from "stet";
import { disk } from "stet/backends/disk";
import { memory } from "stet/backends/memory";
import { postgres } from "stet/backends/postgres";
import { call, surfaceNamed } from "stet/surfaces";
import { describe, expect, it } from "vitest";
import { missingPostgres } from "../../scripts/postgres.mjs";
import { all } from "../support/assertions.ts";
import { testDatabase } from "../support/database.ts";
import { tempDir } from "../support/temp.ts";
import { Model, sha } from "./history-model.ts";

const HEAVY = process.env.STET_HEAVY === "1";
const PATHS = ["a.txt", "b.txt", "dir/c.txt"] as const;
const at = fc.constantFrom(...PATHS);
const text = fc
  .array(fc.constantFrom("one", "two", "three", "é"), { maxLength: 4 })
  .map((lines) => `${lines.join("\n")}\n`);
const pick = fc.nat(30);
const who = fc.constantFrom("ada", "bob");
const step = fc.oneof(
  { weight: 8, arbitrary: fc.record({ do: fc.constantFrom("create", "put", "edit"), who, at, text }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constantFrom("delete", "permanent"), who, at }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("move"), who, at, to: at }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("patch"), who, at, to: at, text }) },
  {
    weight: 6,
    arbitrary: fc.record({ do: fc.constantFrom("undo", "undo file", "undo session", "undo since"), who, at, pick }),
  },
  { weight: 4, arbitrary: fc.record({ do: fc.constantFrom("restore", "purge"), who, pick }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constantFrom("gc", "reopen"), who, pick }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constantFrom("checkpoint", "roll back"), who }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("outside"), at, text: fc.option(text) }) },
);
type Step = { do: string; who?: string; at?: string; to?: string; text?: string | null; pick?: number };

interface Place {
  open(): Promise<Backend>;
  outside(path: string, content: string | null): Promise<void>;
}

async function play(place: Place, steps: readonly Step[], count: (what: string) => void): Promise<void> {
  const model = new Model();
  let workspace = openWorkspace({ backend: await place.open() });
  for (const one of steps) {
    const since = model.entries.length;
    const what = undoOf(one, model);
    const session = workspace.session({ id: one.who ?? "ada" });
    let after: After | undefined;
    let refused: Refusal | undefined;
    try {
      if (one.do === "reopen") {
        await workspace.close();
        workspace = openWorkspace({ backend: await place.open() });
      } else if (what === undefined) after = await act(workspace, session, one, model, place);
      else after = await undo(session, what, one.do === "roll back" ? newestCheckpoint(model)?.name : undefined);
      if (one.do !== "roll back" || what !== undefined) count(one.do);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      refused = error;
      count("refused");
    }
    for await (const entry of workspace.log({ sinceSeq: (model.entries.at(-1)?.seq ?? 0) + 1 })) model.heard(entry);
    if (what !== undefined && refused !== undefined) model.undone(what, refused, since);
    after?.(model, since);
    expect(await filesOf(workspace.backend), JSON.stringify(one)).toEqual(Object.fromEntries([...model.files].sort()));
  }
  model.keeps(await keptIn(workspace));
  expect(await workspace.verify()).toMatchObject({ ok: true, problems: [] });
  await workspace.close();
}

/** What is done to the model when the entries of a call were heard; before, where only files matter. */
type After = (model: Model, since: number) => void;

/** Undefined where this is none, or there is nothing to undo. */
function undoOf(one: Step, model: Model): UndoWhat | undefined {
  if (one.do === "roll back") {
    const checkpoint = newestCheckpoint(model);
    return checkpoint && { sinceSeq: checkpoint.seq + 1 };
  }
  const entries = model.inEffect();
  const entry = entries[(one.pick ?? 0) % entries.length];
  if (entry === undefined) return undefined;
  if (one.do === "undo") return { entry: entry.seq };
  if (one.do === "undo file") return { path: one.at!, sinceSeq: entry.seq };
  if (one.do === "undo session") return { session: one.who!, sinceSeq: entry.seq };
  return one.do === "undo since" ? { sinceSeq: entry.seq } : undefined;
}

function newestCheckpoint(model: Model) {
  const entry = model.entries.findLast(({ details }) => details?.opened !== undefined);
  return entry && { name: String(entry.details!.opened), seq: entry.seq };
}

async function undo(session: Session, what: UndoWhat, checkpoint: string | undefined): Promise<After> {
  const undone = checkpoint === undefined ? (await session.undo(what)).undone : await rollBackTo(session, checkpoint);
  return (model, since) => model.undone(what, undone, since);
}

/** Does it, and to the model as well, unless it is refused. */
async function act(
  workspace: Workspace,
  session: Session,
  one: Step,
  model: Model,
  place: Place,
): Promise<After | undefined> {
  const { at: path = "", to = "", text: content = null } = one;
  const waived = { proof: { by: "waived" } } as const;
  const asked = async (tool: string, input: object): Promise<void> => {
    const result = await call(session, surfaceNamed("workspace"), tool, input);
    if (!result.ok) throw new Refusal(result.error.kind, result.error.message);
  };
  const trash = model.trash();
  const item = trash[(one.pick ?? 0) % trash.length];
  switch (one.do) {
    case "outside":
      await place.outside(path, content);
      return model.put(path, content) as undefined;
    case "create":
    case "put":
      if (one.do === "put" && model.files.has(path)) await session.write(path, content!, waived);
      else await session.create(path, content!, { createParents: true });
      return model.put(path, content) as undefined;
    case "edit":
      await session.edit(path, ({ body }) => [{ start: 0, end: Math.min(3, body.length), text: content! }], waived);
      return model.put(path, content! + model.files.get(path)!.slice(3)) as undefined;
    case "delete":
      await session.delete(path, waived);
      return model.put(path, null) as undefined;
    case "permanent": {
      const expectedSha256 = sha(model.files.get(path) ?? "");
      await asked("delete_file", { path, permanent: true, expectedSha256 });
      model.put(path, null);
      return () => model.purged(expectedSha256);
    }
    case "move":
      await session.move(path, to, { ...waived, createParents: true });
      model.put(to, model.files.get(path)!);
      return model.put(path, null) as undefined;
    case "patch":
      await asked("apply_patch", {
        patch: `*** Begin Patch\n*** Add File: ${to}\n+new\n*** Delete File: ${path}\n*** End Patch\n`,
      });
      model.put(to, "new\n");
      return model.put(path, null) as undefined;
    case "restore":
      if (item === undefined) return;
      await restore(session, String(item.seq));
      return (_model, since) => model.restored(item, since);
    case "purge":
      if (item === undefined) return;
      await purge(session, String(item.seq));
      return () => model.purged(item.changes[0]!.from!);
    case "gc": {
      const before = await keptIn(workspace);
      const max = one.pick! % 3;
      await collectGarbage(workspace, max === 0 ? { maxBytes: 0 } : { maxVersionsPerPath: max });
      const after = await keptIn(workspace);
      return () => model.collected(before, after, max);
    }
    case "checkpoint":
      await openCheckpoint(session, `c${model.entries.length}`);
  }
}

async function keptIn({ backend }: Workspace): Promise<ReadonlySet<string>> {
  return new Set((await all(backend.kept())).map((version) => version.sha as string));
}

async function filesOf(backend: Backend): Promise<Record<string, string>> {
  const files: [string, string][] = [];
  for (const each of PATHS) {
    const { path, kind } = await backend.resolve(each);
    if (kind === "file") files.push([each, Buffer.from(bytesOf((await backend.read(path))!)).toString()]);
  }
  return Object.fromEntries(files);
}

const database = missingPostgres() === undefined ? await testDatabase() : undefined;
let made = 0;

/** Where no program reaches the files, another session writes them. */
function behind(open: () => Promise<Backend>): Place {
  return {
    open,
    async outside(raw, content) {
      const backend = await open();
      const { path } = await backend.resolve(raw);
      const from = (await backend.read(path))?.sha ?? null;
      const to = content === null ? null : versionOf([Buffer.from(content)]);
      const change = { path, from, to, proof: "waived", createParents: true };
      if (from !== (to?.sha ?? null)) await backend.commit([change], { session: "outside", tool: "shell" });
      await backend.close();
    },
  };
}

function onDisk(): Place {
  const root = tempDir();
  return {
    open: async () => disk({ root, durability: "fast" }),
    async outside(path, content) {
      mkdirSync(join(root, dirname(path)), { recursive: true });
      if (content === null) rmSync(join(root, path), { force: true });
      else writeFileSync(join(root, path), content);
    },
  };
}

const PLACES: Record<string, () => Place> = {
  memory: () => {
    const name = `history ${made++}`;
    return behind(async () => memory({ name }));
  },
  disk: onDisk,
  ...(database && {
    postgres: () => {
      const workspace = `history-${made++}`;
      return behind(async () => postgres({ database: database.pool, workspace }));
    },
  }),
};

describe.each(Object.entries(PLACES))("a random history on %s", (_name, place) => {
  it("is what a naive model of it says", async () => {
    const counts = new Map<string, number>();
    const count = (what: string) => void counts.set(what, (counts.get(what) ?? 0) + 1);
    const histories = fc.array(step, { minLength: 5, maxLength: 40 });
    // Chance alone seldom changes files between a checkpoint and a return to it, so that each history ends with one.
    const back: Step = { do: "roll back", who: "ada" };
    const property = fc.asyncProperty(histories, (steps) => play(place(), [...(steps as Step[]), back], count));
    await fc.assert(property, { numRuns: HEAVY ? 5000 : 100, interruptAfterTimeLimit: HEAVY ? 240_000 : 6_000 });
    const total = [...counts.values()].reduce((sum, each) => sum + each, 0);
    expect((counts.get("refused") ?? 0) / total).toBeLessThan(0.5);
    // What a busy machine had no time for says nothing about the steps.
    if (total > 500)
      for (const what of ["gc", "undo since", "roll back"])
        expect(counts.get(what), `${what} happened`).toBeGreaterThan(0);
    if (process.env.SHOW) console.log(counts);
  });
});
