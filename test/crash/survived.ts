// A scenario recorded, every state that a crash may leave of it opened as a user would, and what must hold then.
import { lstatSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type Entry, type Session, type Sha, versionOf, Workspace } from "stet";
import { disk } from "stet/backends/disk";
import { expect } from "vitest";
import { all, path as asPath, inEffect } from "../support/assertions.ts";
import { remove, tempDir } from "../support/temp.ts";
import { joined } from "./joined.ts";
import { layOut, PLACES } from "./laid-out.ts";
import { type Recording, recorded, type TreeFlush, type Working } from "./recorded.ts";
import type { Scenario } from "./scenarios.ts";
import { type CrashState, crashStates, type Effort, type Model, stateWhole } from "./states.ts";

type Tree = Readonly<Record<string, string>>;
type Durability = "full" | "fast";

export interface Recorded {
  readonly scenario: Scenario;
  readonly durability: Durability;
  readonly flush: TreeFlush;
  readonly recording: Recording;
  /** The files after so many steps, */
  readonly trees: readonly Tree[];
  /** and the entries, by their hashes, that had changed files. */
  readonly entries: readonly (readonly Sha[])[];
}

export async function record(scenario: Scenario, durability: Durability, flush: TreeFlush = "late"): Promise<Recorded> {
  const base = join(tempDir(), "world");
  const root = join(base, PLACES.root);
  mkdirSync(root, { recursive: true, mode: 0o700 });
  for (const [path, text] of Object.entries(scenario.files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  if (scenario.before !== undefined) await using(base, scenario, durability, scenario.before);
  const trees = [treeIn(root)];
  const entries: Sha[][] = [];
  const work = ({ done, over }: Working): Promise<void> =>
    using(base, scenario, durability, async (session) => {
      const before = await applied(session);
      entries.push(hashesOf(before));
      for (const step of scenario.steps) {
        await step(session, root);
        const now = { tree: treeIn(root), entries: await applied(session) };
        for (const some of partsOf(scenario.apart ?? [])) {
          trees.push({ ...trees[0], ...Object.fromEntries(some.map((path) => [path, now.tree[path]!])) });
          const those = now.entries.slice(before.length).filter(({ changes }) => some.includes(changes[0]!.path));
          entries.push(hashesOf([...before, ...those]));
          done();
        }
        trees.push(now.tree);
        entries.push(hashesOf(now.entries));
        done();
      }
      over();
    });
  const recording = await recorded(base, { tree: root, flush }, work);
  return { scenario, durability, flush, recording, trees, entries };
}

/** The process ended after so many calls, and the next one finished what was left: what both did, as one. */
export async function recordAgain(of: Recorded, end: number): Promise<Recorded> {
  const { scenario, durability, flush, trees } = of;
  const base = join(tempDir(), "world");
  const state = stateWhole(of.recording, end);
  layOut(of.recording, state, base, false);
  const work = ({ done, over }: Working): Promise<void> =>
    using(base, scenario, durability, async (session) => {
      // Where the entry was not written yet, nothing happened.
      if (sameTrees(await readAll(session, trees), trees.at(-1)!)) done();
      over();
    });
  const second = await recorded(base, { tree: join(base, PLACES.root), flush }, work);
  return { ...of, recording: joined({ ...of.recording, ops: of.recording.ops.slice(0, end) }, state, second) };
}

async function applied({ workspace }: Session): Promise<Entry[]> {
  return (await happened(workspace)).filter(({ outcome }) => outcome === "applied");
}

/** What changed files and was not aborted, the oldest first. */
async function happened(workspace: Workspace): Promise<Entry[]> {
  return inEffect(await all(workspace.log({ outcomes: ["applied", "external", "aborted"], newestFirst: false })));
}

const hashesOf = (entries: readonly Entry[]): Sha[] => entries.map(({ hash }) => hash);

/** Some of them, and not all: of commits that go together each stands for itself until they are answered. */
function partsOf(paths: readonly string[]): string[][] {
  const masks = Array.from({ length: Math.max(0, 2 ** paths.length - 2) }, (_, n) => n + 1);
  return masks.map((mask) => paths.filter((_path, at) => mask & (1 << at)));
}

/** How many states there were, and what was wrong with some of them. */
export async function survivors(
  of: Recorded,
  model: Model,
  effort: Effort,
): Promise<{ states: number; wrong: string[] }> {
  const base = join(tempDir(), "left");
  const wrong: string[] = [];
  let states = 0;
  for (const state of crashStates(of.recording, model, effort)) {
    states++;
    layOut(of.recording, state, base, model !== "kill");
    const look = async (): Promise<void> => {
      nothingTorn(of, state, base, model === "kill");
      await survives(of, state, base);
    };
    await look().catch((error: Error) => wrong.push(`${state.label}\n${error.message}`));
    remove(base);
  }
  return { states, wrong };
}

/** As another program finds it before stet is used again: a file is old or new, unless its flush has not ended. */
function nothingTorn({ trees }: Recorded, state: CrashState, base: string, isKill: boolean): void {
  const found = treeIn(join(base, PLACES.root));
  for (const path of pathsIn([...trees, found])) {
    const id = inodeAt(state, `${PLACES.root}/${path}`);
    if (!isKill && id !== undefined && !state.flushed.has(id)) continue;
    const whole = trees.map((tree) => tree[path]);
    expect(whole, `${state.label}\n${path} before stet is used again`).toContain(found[path]);
  }
}

function inodeAt({ names }: CrashState, path: string): number | undefined {
  let id: number | undefined = 0;
  for (const name of path.split("/")) id = id === undefined ? undefined : names.get(id)?.get(name);
  return id;
}

async function survives(of: Recorded, state: CrashState, base: string): Promise<void> {
  const { scenario, durability, trees, entries } = of;
  const root = join(base, PLACES.root);
  await using(base, scenario, durability, async (session) => {
    const first = await readAll(session, trees);
    const told = hashesOf(await applied(session));
    const reached = trees.findLastIndex((tree, i) => sameTrees(tree, first) && `${told}` === `${entries[i]}`);
    const found = `${told.length} entries and ${JSON.stringify(first)}`;
    expect(reached, `${state.label}\nfound ${found}`).toBeGreaterThanOrEqual(state.done);
    await session.create("afterwards", "works\n");
    expect(treeIn(root), state.label).toEqual({ ...trees[reached], afterwards: "works\n" });
    const { backend } = session.workspace;
    expect((await session.workspace.verify()).problems, state.label).toEqual([]);
    for (const [path, text] of Object.entries(trees[reached]!)) {
      const head = await backend.head(asPath(path));
      if (head !== null) expect(head.sha, `${state.label}\nhead of ${path}`).toBe(shaOf(text));
    }
    for (const path of pathsIn(trees).filter((each) => trees[reached]![each] === undefined))
      expect((await backend.head(asPath(path)))?.sha ?? null, `${state.label}\nhead of ${path}`).toBeNull();
    if (!scenario.drops) await keepsAllVersions(session, trees[reached]!, state);
  });
}

/** Every version that an entry names can be had: from the store, or because the file has it. */
async function keepsAllVersions({ workspace }: Session, tree: Tree, { label }: CrashState): Promise<void> {
  const there = new Set(Object.values(tree).map(shaOf));
  for (const { seq, changes } of await happened(workspace)) {
    for (const { path, from, to } of changes) {
      const shas = [from, to].filter((sha): sha is Sha => sha !== null && !there.has(sha));
      for (const sha of shas)
        expect(await workspace.backend.recall(sha), `${label}\nentry ${seq}, ${path}`).not.toBeNull();
    }
  }
}

async function using(
  base: string,
  { segmentBytes }: Scenario,
  durability: Durability,
  work: (session: Session, root: string) => Promise<unknown>,
): Promise<void> {
  const root = join(base, PLACES.root);
  const options = { root, stateDir: join(base, PLACES.state), durability };
  const workspace = new Workspace(disk({ ...options, ...(segmentBytes !== undefined && { segmentBytes }) }));
  try {
    await work(workspace.session({ id: "s" }), root);
  } finally {
    await workspace.close();
  }
}

async function readAll(session: Session, trees: readonly Tree[]): Promise<Tree> {
  const found: Record<string, string> = {};
  for (const path of pathsIn(trees)) {
    const text = await session.read(path).then(
      ({ body }) => body,
      () => undefined,
    );
    if (text !== undefined) found[path] = text;
  }
  return found;
}

const pathsIn = (trees: readonly Tree[]): string[] => [...new Set(trees.flatMap(Object.keys))].sort();
const shaOf = (text: string): Sha => versionOf([Buffer.from(text)]).sha;

function sameTrees(a: Tree, b: Tree): boolean {
  const paths = pathsIn([a, b]);
  return paths.every((path) => a[path] === b[path]);
}

function treeIn(root: string): Tree {
  const names = readdirSync(root, { recursive: true, encoding: "utf8" }).filter((name) => !/^\.stet(\/|$)/.test(name));
  const files = names.filter((name) => lstatSync(join(root, name)).isFile()).sort();
  return Object.fromEntries(files.map((name) => [name, readFileSync(join(root, name), "utf8")]));
}
