// Random histories against a naive model: what files hold, what the journal tells, and what can be had back.
import { createHash } from "node:crypto";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import fc from "fast-check";
import {
  type Backend,
  bytesOf,
  collectGarbage,
  type Entry,
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
import { openPool, postgres } from "stet/backends/postgres";
import { call, surfaceNamed } from "stet/surfaces";
import { afterAll, describe, expect, it } from "vitest";
import { missingPostgres, startPostgres } from "../../scripts/postgres.mjs";
import { tempDir } from "../support/temp.ts";

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
  { weight: 2, arbitrary: fc.record({ do: fc.constantFrom("checkpoint", "roll back", "gc", "reopen"), who }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("outside"), at, text: fc.option(text) }) },
);
type Step = { do: string; who?: string; at?: string; to?: string; text?: string | null; pick?: number };

/** What a reader of the promise would expect; entries are taken from the journal after they were compared with it. */
class Model {
  readonly files = new Map<string, string>();
  /** As the journal knows them: what another program wrote is noticed later. */
  readonly known = new Map<string, string>();
  readonly met = new Set<string>();
  readonly entries: Entry[] = [];
  readonly texts = new Map<string, string>();

  put(path: string, content: string | null): undefined {
    if (content === null) this.files.delete(path);
    else this.files.set(path, content);
    if (content !== null) this.texts.set(sha(content), content);
  }

  /** New entries begin where the last ones ended. */
  heard(entry: Entry): void {
    for (const { path, from, to } of entry.outcome === "refused" ? [] : entry.changes) {
      // What was there before the journal knew of a file is no news to it.
      if (this.met.has(path)) expect(from, `entry ${entry.seq}, ${path}`).toBe(this.known.get(path) ?? null);
      this.met.add(path);
      if (to === null) this.known.delete(path);
      else this.known.set(path, to);
    }
    this.entries.push(entry);
  }

  /** Entries that changed something and are not taken back. */
  inEffect(): Entry[] {
    const back = new Set<number>();
    const made = this.entries.filter(({ changes, outcome }) => changes.length > 0 && outcome !== "refused");
    for (const { seq, of } of made.toReversed()) if (!back.has(seq)) for (const each of of ?? []) back.add(each);
    return made.filter(({ seq }) => !back.has(seq));
  }

  /** The last change can be taken back as long as all is kept and no other program has changed its files since. */
  mustUndo({ do: what, pick: n = 0 }: Step): boolean {
    const entries = this.inEffect();
    const last = entries.at(-1);
    if (what !== "undo" || last === undefined || entries[n % entries.length] !== last) return false;
    const isKept = !this.entries.some(({ tool }) => tool === "purge" || tool === "gc" || tool === "delete_file");
    const content = (path: string) => (this.files.has(path) ? sha(this.files.get(path)!) : null);
    return isKept && last.changes.every(({ path, to }) => content(path) === to);
  }

  /** Every file that these entries changed is as before the first of them. */
  takeBack(entries: readonly Entry[]): void {
    for (const { changes } of entries.toReversed())
      for (const { path, from } of changes) this.put(path, from === null ? null : this.texts.get(from)!);
  }
}

function sha(content: string): string {
  return createHash("sha256").update(content).digest("hex");
}

interface Place {
  open(): Promise<Backend>;
  outside(path: string, content: string | null): Promise<void>;
}

async function play(place: Place, steps: readonly Step[], count: (what: string) => void): Promise<void> {
  const model = new Model();
  let workspace = openWorkspace({ backend: await place.open() });
  let sessions: Record<string, Session> = {};
  const open = () => {
    sessions = { ada: workspace.session({ id: "ada" }), bob: workspace.session({ id: "bob" }) };
  };
  open();
  for (const one of steps) {
    let undone: readonly number[] = [];
    try {
      if (one.do === "reopen") {
        await workspace.close();
        workspace = openWorkspace({ backend: await place.open() });
        open();
      } else undone = (await act(workspace, sessions[one.who ?? "ada"]!, one, model, place)) ?? [];
      count(one.do);
    } catch (error) {
      if (!(error instanceof Refusal) || model.mustUndo(one)) throw error;
      count("refused");
    }
    const last = model.entries.at(-1)?.seq ?? 0;
    for await (const entry of workspace.log({ sinceSeq: last + 1 })) model.heard(entry);
    model.takeBack(model.entries.filter(({ seq }) => undone.includes(seq)));
    expect(await filesOf(workspace.backend), JSON.stringify(one)).toEqual(Object.fromEntries([...model.files].sort()));
  }
  expect(await workspace.verify()).toMatchObject({ ok: true, problems: [] });
  await workspace.close();
}

/** Does it, and to the model as well, unless it is refused; the entries that were undone are told. */
async function act(
  workspace: Workspace,
  session: Session,
  one: Step,
  model: Model,
  place: Place,
): Promise<readonly number[] | undefined> {
  const { at: path = "", to = "", text: content = null } = one;
  const trash = [...model.inEffect()].filter(({ changes }) => changes.length === 1 && changes[0]!.to === null);
  const waived = { proof: { by: "waived" } } as const;
  switch (one.do) {
    case "outside":
      await place.outside(path, content);
      return model.put(path, content);
    case "create":
      await session.create(path, content!, { createParents: true });
      return model.put(path, content);
    case "put":
      if (model.files.has(path)) await session.write(path, content!, waived);
      else await session.create(path, content!, { createParents: true });
      return model.put(path, content);
    case "edit":
      await session.edit(path, ({ body }) => [{ start: 0, end: Math.min(3, body.length), text: content! }], waived);
      return model.put(path, content! + model.files.get(path)!.slice(3));
    case "delete":
      await session.delete(path, waived);
      return model.put(path, null);
    case "permanent": {
      const expectedSha256 = sha(model.files.get(path) ?? "");
      const result = await call(session, surfaceNamed("workspace"), "delete_file", {
        path,
        permanent: true,
        expectedSha256,
      });
      if (!result.ok) throw new Refusal(result.error.kind, result.error.message);
      return model.put(path, null);
    }
    case "move":
      await session.move(path, to, { ...waived, createParents: true });
      model.put(to, model.files.get(path)!);
      return model.put(path, null);
    case "patch": {
      const body = `*** Begin Patch\n*** Add File: ${to}\n+new\n*** Delete File: ${path}\n*** End Patch\n`;
      const result = await call(session, surfaceNamed("workspace"), "apply_patch", { patch: body });
      if (!result.ok) throw new Refusal(result.error.kind, result.error.message);
      model.put(to, "new\n");
      return model.put(path, null);
    }
    case "restore": {
      const item = trash[one.pick! % trash.length];
      if (item === undefined) return;
      await restore(session, String(item.seq));
      return model.put(item.changes[0]!.path, model.texts.get(item.changes[0]!.from!)!);
    }
    case "purge": {
      const item = trash[one.pick! % trash.length];
      if (item !== undefined) await purge(session, String(item.seq));
      return;
    }
    case "gc":
      await collectGarbage(workspace, { maxVersionsPerPath: 2 });
      return;
    case "checkpoint":
      await openCheckpoint(session, `c${model.entries.length}`);
      return;
    case "roll back": {
      const opened = model.entries.findLast(({ details }) => details?.opened !== undefined);
      if (opened === undefined) return;
      return rollBackTo(session, String(opened.details!.opened));
    }
    default: {
      const entries = model.inEffect();
      const entry = entries[one.pick! % entries.length];
      if (entry === undefined) return;
      const what: Record<string, UndoWhat> = {
        undo: { entry: entry.seq },
        "undo file": { path, sinceSeq: entry.seq },
        "undo session": { session: one.who!, sinceSeq: entry.seq },
        "undo since": { sinceSeq: entry.seq },
      };
      return (await session.undo(what[one.do]!)).undone;
    }
  }
}

async function filesOf(backend: Backend): Promise<Record<string, string>> {
  const files: [string, string][] = [];
  for (const each of PATHS) {
    const { path, kind } = await backend.resolve(each);
    if (kind === "file") files.push([each, Buffer.from(bytesOf((await backend.read(path))!)).toString()]);
  }
  return Object.fromEntries(files);
}

const server = missingPostgres() === undefined ? startPostgres({ settings: { fsync: "off" } }) : undefined;
const pool = server?.then(({ url }) => openPool(url));
afterAll(async () => {
  await (await pool)?.end();
  await (await server)?.remove();
});
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
  ...(pool && {
    postgres: () => {
      const workspace = `history-${made++}`;
      return behind(async () => postgres({ database: await pool, workspace }));
    },
  }),
};

describe.each(Object.entries(PLACES))("a random history on %s", (_name, place) => {
  it("is what a naive model of it says", async () => {
    const counts = new Map<string, number>();
    const count = (what: string) => void counts.set(what, (counts.get(what) ?? 0) + 1);
    const histories = fc.array(step, { minLength: 5, maxLength: 40 });
    const property = fc.asyncProperty(histories, (steps) => play(place(), steps as Step[], count));
    await fc.assert(property, { numRuns: HEAVY ? 5000 : 100, interruptAfterTimeLimit: HEAVY ? 240_000 : 6_000 });
    expect(counts.get("refused")! / [...counts.values()].reduce((sum, each) => sum + each, 0)).toBeLessThan(0.5);
    if (process.env.SHOW) console.log(counts);
  });
});
