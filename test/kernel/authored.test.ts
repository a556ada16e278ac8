// What a caller hands over to be written down: refused in words, with nothing written, whatever the backend.
import { type Author, type ChangeOptions, collectGarbage, openCheckpoint, restore, type Workspace } from "stet";
import { describe, expect, it } from "vitest";
import { all, textAt } from "../support/assertions.ts";
import { memoryWorkspace } from "../support/workspace.ts";

const nested = (levels: number): unknown => (levels === 0 ? 1 : { inner: nested(levels - 1) });

const circle: Record<string, unknown> = {};
circle.again = { and: [circle] };

const NAMES: readonly (readonly [what: string, name: unknown])[] = [
  ["a number", 5],
  ["an object", {}],
  ["of 1,001 characters", "n".repeat(1001)],
];

const NOTES: readonly (readonly [what: string, note: object])[] = [
  ["of that is a number", { of: 5 }],
  ["of with a fraction in it", { of: [1.5] }],
  ["details that are a list", { details: [1] }],
  ["details that go round in circles", { details: circle }],
  ["details with a BigInt", { details: { deep: [{ big: 5n }] } }],
  ["details of 100,000 levels", { details: JSON.parse(`${'{"a":'.repeat(100_000)}1${"}".repeat(100_000)}`) }],
  ["details of 17 MB, all of it in a name", { details: { ["n".repeat(17 * 1024 * 1024)]: 1 } }],
  [
    "details that refuse to be written",
    {
      details: {
        toJSON() {
          throw new Error("not me");
        },
      },
    },
  ],
];

describe("in memory", () => {
  const open = (): Workspace => memoryWorkspace({ a: "only line of a\n" });

  it.each(NAMES)("a session whose id or agent is %s is refused", async (_what, name) => {
    const workspace = open();
    expect(() => workspace.session({ id: name as string })).toThrow(expect.objectContaining({ kind: "invalid_input" }));
    const agent = { agent: name as string };
    expect(() => workspace.session(agent)).toThrow(expect.objectContaining({ kind: "invalid_input" }));
    await workspace.close();
  });

  it.each(NAMES)("a tool or a call that is %s is refused by every verb, and nothing happens", async (_what, name) => {
    const workspace = open();
    const session = workspace.session();
    await session.read("a");
    for (const options of [{ tool: name }, { call: name }] as ChangeOptions[]) {
      const verbs: (() => Promise<unknown>)[] = [
        () => session.read("a", undefined, options),
        () => session.readBytes("a", options),
        () => session.resolve("a", "read", options),
        () => session.create("b", "b", options),
        () => session.write("a", "b", options),
        () => session.edit("a", () => [], options),
        () => session.delete("a", options),
        () => session.move("a", "b", options),
        () => collectGarbage(workspace, {}, 0, { author: { session: "s", tool: "t", ...options } as Author }),
      ];
      for (const verb of verbs) await expect(verb()).rejects.toMatchObject({ kind: "invalid_input" });
    }
    expect(await textAt(workspace.backend, "a")).toBe("only line of a\n");
    expect(await textAt(workspace.backend, "b")).toBeNull();
    expect(await all(workspace.log())).toEqual([]);
    await workspace.close();
  });

  it("what undoes and restores is refused in the same way", async () => {
    const workspace = open();
    const session = workspace.session();
    await session.read("a");
    await session.delete("a");
    for (const options of [{ tool: 5 }, { call: {} }, { details: circle }] as unknown as ChangeOptions[])
      await expect(session.undo({ entry: 1 }, options)).rejects.toMatchObject({ kind: "invalid_input" });
    for (const options of [{ tool: 5 }, { call: {} }] as unknown as ChangeOptions[])
      await expect(restore(session, "a", options)).rejects.toMatchObject({ kind: "invalid_input" });
    for (const name of [5, undefined, "n".repeat(2000)] as string[])
      await expect(openCheckpoint(session, name)).rejects.toMatchObject({ kind: "invalid_input" });
    expect(await textAt(workspace.backend, "a")).toBeNull();
    expect((await all(workspace.log({ outcomes: ["applied", "note"] }))).map(({ seq }) => seq)).toEqual([1]);
    await workspace.close();
  });

  it.each(NOTES)("a change with %s is refused, and nothing happens", async (_what, note) => {
    const workspace = open();
    const session = workspace.session();
    let asked = false;
    const edit = () => {
      asked = true;
      return [{ body: "b" }];
    };
    const target = { path: "b", proof: { by: "absence" }, action: "create" } as const;
    await expect(session.change([target], edit, note)).rejects.toMatchObject({ kind: "invalid_input" });
    expect(asked).toBe(false);
    expect(await textAt(workspace.backend, "b")).toBeNull();
    expect(await all(workspace.log())).toEqual([]);
    await workspace.close();
  });

  it("what is just within the limits is written down as it was given", async () => {
    const workspace = open();
    const name = "\ud800".padEnd(1000, "n");
    const session = workspace.session({ id: name, agent: name });
    const details = { deep: nested(31), at: new Date(0), none: undefined };
    const { entry } = await session.create("b", "b", { tool: name, call: name, details });
    expect(entry).toMatchObject({ session: name, agent: name, tool: name, call: name });
    expect(entry!.details).toEqual({ deep: nested(31), at: "1970-01-01T00:00:00.000Z" });
    expect(await all(workspace.log({ session: name }))).toEqual([entry]);
    expect(await workspace.verify()).toMatchObject({ ok: true, entries: 1 });
    await workspace.close();
  });
});
