// Laws of the kernel, on random histories.
import fc from "fast-check";
import { type Backend, Refusal, type Session, Workspace } from "stet";
import { describe, expect, it } from "vitest";
import { all } from "../support/assertions.ts";
import { type Call, isLinearizable } from "../support/linearizable.ts";
import { BACKENDS } from "../support/workspace.ts";

const RUNS = { numRuns: process.env.STET_HEAVY === "1" ? 100 : 15 };
const name = fc.constantFrom("a", "b", "dir/c");
const body = fc.string({ unit: fc.constantFrom("x", "y", "é", "\n", "\r\n", "$&"), maxLength: 30 });

type Step = {
  readonly verb: "create" | "write" | "delete" | "move" | "edit";
  readonly at: string;
  readonly to: string;
  readonly body: string;
};
const step: fc.Arbitrary<Step> = fc.record({
  verb: fc.constantFrom("create", "write", "delete", "move", "edit"),
  at: name,
  to: name,
  body,
});

async function act(session: Session, { verb, at, to, body: text }: Step): Promise<number | undefined> {
  const waived = { proof: { by: "waived" } } as const;
  try {
    switch (verb) {
      case "create":
        return (await session.create(at, text, { createParents: true })).entry?.seq;
      case "write":
        return (await session.write(at, text, waived)).entry?.seq;
      case "delete":
        return (await session.delete(at, waived)).entry?.seq;
      case "move":
        return (await session.move(at, to, { ...waived, createParents: true })).entry?.seq;
      case "edit":
        return (await session.edit(at, ({ body: old }) => [{ start: 0, end: Math.min(1, old.length), text }], waived))
          .entry?.seq;
    }
  } catch (error) {
    if (error instanceof Refusal) return undefined;
    throw error;
  }
}

async function snapshot(backend: Backend): Promise<Record<string, string>> {
  const files: Record<string, string> = {};
  for (const at of ["a", "b", "dir/c"]) {
    const { path, kind } = await backend.resolve(at);
    if (kind === "file") files[at] = (await backend.read(path))!.sha;
  }
  return files;
}

describe.each(BACKENDS)("on %s", (_name, make) => {
  it("undo after change is the identity, and undoing the undo is the change", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 6 }), step, async (before, last) => {
        const backend = make({ a: "start\n" });
        const session = new Workspace(backend).session();
        for (const each of before) await act(session, each);
        const was = await snapshot(backend);
        const seq = await act(session, last);
        const then = await snapshot(backend);
        if (seq !== undefined) {
          const { entry } = await session.undo({ entry: seq });
          expect(await snapshot(backend)).toEqual(was);
          await session.undo({ entry: entry!.seq });
          expect(await snapshot(backend)).toEqual(then);
        }
        await backend.close();
      }),
      RUNS,
    );
  });

  it("undoing a whole session brings back the first state", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 8 }), async (steps) => {
        const backend = make({ a: "start\n", b: "other\n" });
        const session = new Workspace(backend).session({ id: "all" });
        const was = await snapshot(backend);
        let changes = 0;
        for (const each of steps) if ((await act(session, each)) !== undefined) changes++;
        if (changes > 0) await session.undo({ session: "all" });
        expect(await snapshot(backend)).toEqual(was);
        expect((await backend.verify()).problems).toEqual([]);
        await backend.close();
      }),
      RUNS,
    );
  });

  it("from one version two sessions never both win, and no version in between is lost", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat({ max: 3 }), { minLength: 2, maxLength: 12 }), async (who) => {
        const backend = make({ a: "0\n" });
        const workspace = new Workspace(backend);
        const sessions = Array.from({ length: 4 }, () => workspace.session());
        const { sha } = await workspace.session().read("a");
        const tries = who.map((i, n) => sessions[i]!.write("a", `${i} ${n}\n`, { expectedSha256: sha }));
        const won = (await Promise.allSettled(tries)).filter(({ status }) => status === "fulfilled");
        expect(won).toHaveLength(1);
        for (const { changes } of await all(backend.log({ outcomes: ["applied"] })))
          expect(await backend.recall(changes[0]!.to!)).not.toBeNull();
        await backend.close();
      }),
      RUNS,
    );
  });

  it("concurrent reads and swaps are linearizable", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(fc.boolean(), { minLength: 1, maxLength: 4 }), { minLength: 2, maxLength: 4 }),
        async (plans) => {
          const backend = make({ a: "start" });
          const workspace = new Workspace(backend);
          const initial = (await workspace.session().read("a")).sha;
          let clock = 0;
          const calls: Call[] = [];
          const run = async (swaps: readonly boolean[], worker: number): Promise<void> => {
            const session = workspace.session();
            let known: string = initial;
            for (const [n, swap] of swaps.entries()) {
              const start = clock++;
              if (!swap) {
                known = (await session.read("a")).sha;
                calls.push({ start, end: clock++, action: { read: known } });
                continue;
              }
              const done = await session
                .write("a", `${worker} ${n}`, { expectedSha256: known })
                .catch((error: unknown) => error);
              const to = done instanceof Error ? "" : (done as { files: { after: string }[] }).files[0]!.after;
              calls.push({ start, end: clock++, action: { swap: [known, to], done: to !== "" } });
              if (to !== "") known = to;
            }
          };
          await Promise.all(plans.map(run));
          expect(isLinearizable(calls, initial)).toBe(true);
          await backend.close();
        },
      ),
      RUNS,
    );
  });
});

describe("the linearizability checker", () => {
  it("finds a lost update", () => {
    const swap = (start: number, end: number, from: string, to: string): Call => ({
      start,
      end,
      action: { swap: [from, to], done: true },
    });
    expect(isLinearizable([swap(0, 3, "0", "a"), swap(1, 2, "0", "b")], "0")).toBe(false);
    expect(isLinearizable([swap(0, 3, "0", "a"), swap(1, 2, "a", "b")], "0")).toBe(true);
    expect(isLinearizable([swap(0, 1, "0", "a"), { start: 2, end: 3, action: { read: "0" } }], "0")).toBe(false);
  });
});
