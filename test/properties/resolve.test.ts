// Random trees of links: what resolves is where the kernel says it is, and nothing resolves outside.
import { mkdirSync, realpathSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { errnoOf } from "../../src/backends/disk/errno.ts";
import { resolve } from "../../src/backends/disk/paths/walk.ts";
import { kindOfRefusal, PINNINGS, playground } from "../backends/disk-playground.ts";

const NAMES = ["a", "b", "c", "d"];
const HOSTILE = [
  "$OUT",
  "$OUT/secret.txt",
  "../outside",
  "../../outside/secret.txt",
  "..",
  "../..",
  "../ws",
  "/",
  "/proc/self/cwd",
  "$WS/..",
];

interface NodePlan {
  readonly parent: number;
  readonly name: string;
  readonly type: "dir" | "file" | "link";
  readonly target: number;
  readonly style: "relative" | "absolute" | "slash" | "long";
  readonly hostile: string;
}

interface Question {
  readonly start: number;
  readonly rest: readonly string[];
  readonly absolute: boolean;
  readonly slash: boolean;
}

const nodePlan = (): fc.Arbitrary<NodePlan> =>
  fc.record({
    parent: fc.nat(20),
    name: fc.constantFrom(...NAMES),
    type: fc.constantFrom("dir", "dir", "dir", "file", "link", "link", "link"),
    target: fc.nat(30),
    style: fc.constantFrom("relative", "relative", "absolute", "slash", "long"),
    hostile: fc.constantFrom(...HOSTILE),
  });

const question = (): fc.Arbitrary<Question> =>
  fc.record({
    start: fc.nat(30),
    rest: fc.oneof(
      { weight: 3, arbitrary: fc.constantFrom([], ["."], ["..", ...NAMES.slice(0, 1)]) },
      { weight: 1, arbitrary: fc.array(fc.constantFrom(...NAMES, "..", "..", ".", ""), { maxLength: 4 }) },
    ),
    absolute: fc.boolean(),
    slash: fc.integer({ min: 0, max: 9 }).map((n) => n === 0),
  });

const tree = fc.array(nodePlan(), { minLength: 6, maxLength: 24 });
const questions = fc.array(question(), { minLength: 12, maxLength: 12 });

describe.each(PINNINGS)("resolve, %s", (_name, pinning) => {
  const play = playground();
  play.file("$OUT/secret.txt", "SECRET");
  let root = play.root(pinning);
  afterAll(() => play.remove());

  const fresh = () => {
    root.close();
    rmSync(play.ws, { recursive: true });
    mkdirSync(play.ws);
    root = play.root(pinning);
  };

  it("agrees with the kernel on trees that stay inside", () => {
    let asked = 0;
    let found = 0;
    fc.assert(
      fc.property(tree, questions, (plans, asks) => {
        fresh();
        const nodes = build(play.ws, plans, () => null);
        for (const ask of asks) {
          const raw = rawPath(play.ws, nodes, ask);
          asked += 1;
          if (agrees(raw)) found += 1;
        }
      }),
      { numRuns: 60 },
    );
    expect(found / asked).toBeGreaterThan(0.4);
  });

  it("never leads outside, whatever the links say", () => {
    let refused = 0;
    fc.assert(
      fc.property(tree, questions, (plans, asks) => {
        fresh();
        const nodes = build(play.ws, plans, (plan) =>
          plan.target % 3 === 0 ? plan.hostile.replaceAll("$WS", play.ws).replaceAll("$OUT", play.out) : null,
        );
        for (const ask of asks) {
          const raw = rawPath(play.ws, nodes, ask);
          const kind = kindOfRefusal(() => resolve(root, raw));
          if (kind !== "ok") {
            refused += 1;
            continue;
          }
          const { path, kind: what } = resolve(root, raw);
          const real = join(play.ws, path);
          expect(real === play.ws || real.startsWith(`${play.ws}/`)).toBe(true);
          if (what === "absent") continue;
          expect(realpathSync.native(real)).toBe(real);
          expect(statSync(real).ino).toBe(statSync(fullPath(play.ws, raw)).ino);
        }
      }),
      { numRuns: 60 },
    );
    expect(refused).toBeGreaterThan(0);
  });

  /** True when both found something, and the same; fails the test when they disagree. */
  function agrees(raw: string): boolean {
    const theirs = realpathOf(fullPath(play.ws, raw));
    if ("code" in theirs) {
      const ours = kindOfRefusal(() => expect(resolve(root, raw).kind, raw).toBe("absent"));
      const same: Record<string, readonly string[]> = {
        ENOENT: ["ok", "not_found", "outside_workspace"],
        ENOTDIR: ["not_a_directory", "outside_workspace"],
        ELOOP: ["symlink_loop", "outside_workspace"],
      };
      expect(same[theirs.code], `${raw}: ${theirs.code}`).toContain(ours);
      return false;
    }
    const inside = theirs.path === play.ws || theirs.path.startsWith(`${play.ws}/`);
    if (!inside) {
      expect(
        kindOfRefusal(() => resolve(root, raw)),
        raw,
      ).toBe("outside_workspace");
      return false;
    }
    const ours = resolve(root, raw);
    expect(join(play.ws, ours.path), raw).toBe(theirs.path);
    expect(ours.kind).toBe(statSync(theirs.path).isDirectory() ? "directory" : "file");
    return true;
  }
});

/** Makes the tree and returns the paths of its nodes, relative to the workspace. */
function build(ws: string, plans: readonly NodePlan[], hostile: (plan: NodePlan) => string | null): readonly string[] {
  const dirs = [""];
  const nodes: { path: string; plan: NodePlan }[] = [];
  const taken = new Set<string>();
  for (const plan of plans) {
    const path = join(dirs[plan.parent % dirs.length]!, plan.name);
    if (taken.has(path) || path.length > 9) continue;
    taken.add(path);
    nodes.push({ path, plan });
    if (plan.type === "dir") dirs.push(path);
  }
  for (const { path, plan } of nodes) {
    if (plan.type === "dir") mkdirSync(join(ws, path), { recursive: true });
    if (plan.type === "file") writeFileSync(join(ws, path), path);
    if (plan.type !== "link") continue;
    // Three links in four lead to something that is there; the rest to any node, so that chains and loops occur.
    const solid = nodes.filter((node) => node.plan.type !== "link");
    const choice = plan.target % 4 === 0 || solid.length === 0 ? nodes : solid;
    const target = choice[plan.target % choice.length]!.path;
    symlinkSync(hostile(plan) ?? spell(ws, path, target, plan.style), join(ws, path));
  }
  return nodes.map((node) => node.path);
}

function spell(ws: string, from: string, target: string, style: NodePlan["style"]): string {
  if (style === "absolute") return join(ws, target);
  const short = relative(dirname(from), target) || ".";
  if (style === "slash") return `./${short}/`;
  return style === "long" ? `.//./${short}` : short;
}

function rawPath(ws: string, nodes: readonly string[], ask: Question): string {
  const path = [nodes[ask.start % nodes.length] ?? ".", ...ask.rest].join("/") + (ask.slash ? "/" : "");
  return ask.absolute ? `${ws}/${path}` : path;
}

function fullPath(ws: string, raw: string): string {
  return raw.startsWith("/") ? raw : `${ws}/${raw}`;
}

function realpathOf(path: string): { path: string } | { code: string } {
  try {
    return { path: realpathSync.native(path) };
  } catch (error) {
    return { code: errnoOf(error) ?? "unknown" };
  }
}
