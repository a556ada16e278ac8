// Random trees of links: what resolves is where the kernel says it is, and nothing resolves outside.
import { mkdirSync, realpathSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import fc from "fast-check";
import { Refusal, type Resolved } from "stet";
import { disk } from "stet/backends/disk";
import { describe, expect, it } from "vitest";
import { tempDir } from "../support/temp.ts";

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

const RUNS = { numRuns: process.env.STET_HEAVY === "1" ? 500 : 40 };

/** What the disk backend makes of a path: where it leads, or the kind of its refusal. */
type Resolving = (raw: string) => Promise<Resolved | string>;

async function inTree(plans: readonly NodePlan[], isHostile: boolean, work: Work): Promise<void> {
  const base = realpathSync(tempDir());
  const [ws, out] = [join(base, "ws"), join(base, "outside")];
  for (const directory of [ws, out]) mkdirSync(directory);
  writeFileSync(join(out, "secret.txt"), "SECRET");
  const hostile = ({ target, hostile }: NodePlan) =>
    isHostile && target % 3 === 0 ? hostile.replaceAll("$WS", ws).replaceAll("$OUT", out) : null;
  const nodes = build(ws, plans, hostile);
  const backend = disk({ root: ws });
  const resolving: Resolving = async (raw) => {
    try {
      return await backend.resolve(raw);
    } catch (error) {
      if (error instanceof Refusal) return error.kind;
      throw error;
    }
  };
  await work(ws, nodes, resolving);
  await backend.close();
  rmSync(base, { recursive: true });
}

type Work = (ws: string, nodes: readonly string[], resolving: Resolving) => Promise<void>;

describe("resolve", () => {
  it("agrees with the kernel on trees that stay inside", async () => {
    let asked = 0;
    let found = 0;
    await fc.assert(
      fc.asyncProperty(tree, questions, (plans, asks) =>
        inTree(plans, false, async (ws, nodes, resolving) => {
          for (const ask of asks) {
            asked += 1;
            if (await agrees(ws, rawPath(ws, nodes, ask), resolving)) found += 1;
          }
        }),
      ),
      RUNS,
    );
    expect(found / asked).toBeGreaterThan(0.4);
  });

  it("never leads outside, whatever the links say", async () => {
    let refused = 0;
    await fc.assert(
      fc.asyncProperty(tree, questions, (plans, asks) =>
        inTree(plans, true, async (ws, nodes, resolving) => {
          for (const ask of asks) {
            const raw = rawPath(ws, nodes, ask);
            const resolved = await resolving(raw);
            if (typeof resolved === "string") {
              refused += 1;
              continue;
            }
            const real = join(ws, resolved.path);
            expect(real === ws || real.startsWith(`${ws}/`)).toBe(true);
            if (resolved.kind === "absent") continue;
            expect(realpathSync.native(real)).toBe(real);
            expect(statSync(real).ino).toBe(statSync(fullPath(ws, raw)).ino);
          }
        }),
      ),
      RUNS,
    );
    expect(refused).toBeGreaterThan(0);
  });

  /** True when both found something, and the same; fails the test when they disagree. */
  async function agrees(ws: string, raw: string, resolving: Resolving): Promise<boolean> {
    const theirs = realpathOf(fullPath(ws, raw));
    const ours = await resolving(raw);
    if ("code" in theirs) {
      const same: Record<string, readonly string[]> = {
        ENOENT: ["absent", "not_found", "outside_workspace"],
        ENOTDIR: ["not_a_directory", "outside_workspace"],
        ELOOP: ["symlink_loop", "outside_workspace"],
      };
      expect(same[theirs.code], `${raw}: ${theirs.code}`).toContain(typeof ours === "string" ? ours : ours.kind);
      return false;
    }
    if (theirs.path !== ws && !theirs.path.startsWith(`${ws}/`)) {
      expect(ours, raw).toBe("outside_workspace");
      return false;
    }
    if (typeof ours === "string") throw new Error(`${raw} was refused: ${ours}`);
    expect(join(ws, ours.path), raw).toBe(theirs.path);
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
    return { code: (error as NodeJS.ErrnoException).code ?? "unknown" };
  }
}
