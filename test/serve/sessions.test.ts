// What the read tracker keys on: handles that are minted, bound to their owner, bounded, and never mistaken for another.
import { Client } from "@modelcontextprotocol/client";
import { InMemoryTransport } from "@modelcontextprotocol/server";
import { createServerFactory, type FactoryOptions, type Keying, type ServeOptions } from "stet/serve";
import { surfaceNamed } from "stet/surfaces";
import { describe, expect, it } from "vitest";
import { memoryWorkspace } from "../support/workspace.ts";
import { type CallResult, handleIn, INFO, textOf } from "./clients.ts";

const READ = { file_path: "a.txt" };
const EDIT = { file_path: "a.txt", old_string: "one", new_string: "1" };

describe("by handle", () => {
  it("mints one for a call without, and knows what its owner read when it comes back", async () => {
    const { options, call } = serving();
    const read = await call("token", "Read", READ);
    const session = handleIn(read)!;
    expect(session).toMatch(/^[\w-]{22}$/);

    const without = await call("token", "Edit", EDIT);
    expect(without.isError).toBe(true);
    expect(textOf(without)).toContain("Read it first");

    const edited = await call("token", "Edit", { ...EDIT, session });
    expect(edited.isError).toBeUndefined();
    expect(textOf(edited)).not.toContain("Your session");

    const journal = [];
    for await (const entry of options.served[0].workspace.log()) journal.push(JSON.stringify(entry));
    expect(journal.length).toBeGreaterThan(0);
    expect(journal.join()).not.toContain(session);
  });

  it("refuses the handle of another owner, and one that never was", async () => {
    const { call } = serving();
    const session = handleIn(await call("token", "Read", READ));
    for (const [owner, handle] of [
      ["other", session],
      ["token", "x".repeat(22)],
      ["token", ""],
      ["token", 7],
    ] as const) {
      const refused = await call(owner, "Edit", { ...EDIT, session: handle });
      expect(refused.isError).toBe(true);
      expect(textOf(refused)).toContain("This `session` is not known here");
      expect(textOf(refused)).not.toContain("Your session is");
    }
    expect((await call("token", "Edit", { ...EDIT, session })).isError).toBeUndefined();
  });

  it("lists the parameter, and says so in the instructions", async () => {
    const { client } = serving();
    const connected = await client("token");
    const { tools } = await connected.listTools();
    for (const { inputSchema } of tools) {
      expect(inputSchema.properties).toHaveProperty("session");
      expect(inputSchema.required ?? []).not.toContain("session");
    }
    expect(connected.getInstructions()).toContain("pass it as `session`");
  });

  it("forgets the longest unused, and those never passed back first", () => {
    let now = 0;
    const sessions = sessionsOf({ mostHandles: 2, freshMs: 0, handleIdleMs: 100, now: () => now });
    const keying = sessions.byHandle("token");
    const mint = () => keying.callerOf().handle!;
    const knows = (handle: string) => {
      try {
        return keying.callerOf(handle).handle === handle;
      } catch {
        return false;
      }
    };
    const kept = mint();
    expect(knows(kept)).toBe(true);
    const [first, second, third] = [mint(), mint(), mint()];
    expect([first, second, third, kept].map(knows)).toEqual([false, true, true, false]);
    now = 90;
    expect(knows(third)).toBe(true);
    now = 180;
    expect([second, third].map(knows)).toEqual([false, true]);
    expect(sessions.byHandle("token").callerOf(third).caller).toBe(keying.callerOf(third).caller);
  });
});

it("keeps a new handle for a while, however many are made after it, up to a bound", () => {
  let now = 0;
  const limits = { mostHandles: 2, freshMs: 50, mostFresh: 5, handleIdleMs: 100, now: () => now };
  const keying = sessionsOf(limits).byHandle("token");
  const mint = (count: number) => Array.from({ length: count }, () => keying.callerOf().handle!);
  const [first, , , , last] = mint(5);
  now = 49;
  expect(keying.callerOf(first).handle).toBe(first);
  const [early, ...more] = mint(2);
  const held = [last!, early!, ...more];
  mint(4);
  expect(() => keying.callerOf(held[0])).toThrow(/not known here/);
  expect(keying.callerOf(held[2]).handle).toBe(held[2]);
  now = 99;
  const [newest] = mint(1);
  expect(() => keying.callerOf(held[1])).toThrow(/not known here/);
  expect(keying.callerOf(newest).handle).toBe(newest);
});

describe("fixed keys", () => {
  it("are one per connection, one per session id, and one per principal", () => {
    const sessions = sessionsOf();
    const caller = (keying: Keying) => keying.callerOf().caller;
    const connection = sessions.forConnection();
    expect(caller(connection)).toBe(caller(connection));
    expect(caller(sessions.forConnection())).not.toBe(caller(connection));
    expect(caller(sessions.forSessionId())).not.toBe(caller(sessions.forSessionId()));
    expect(caller(sessions.forPrincipal("ann"))).toBe(caller(sessions.forPrincipal("ann")));
    expect(caller(sessions.forPrincipal("ann"))).not.toBe(caller(sessions.forPrincipal("bob")));
    const words = [sessions.forConnection(), sessions.forSessionId(), sessions.forPrincipal("ann")].map(
      ({ by, words }) => [by, words],
    );
    expect(words).toEqual([
      ["connection", "What you have read counts for this connection."],
      ["session id", "What you have read counts for this MCP session."],
      ["principal", 'What you have read counts for every call made as "ann".'],
    ]);
  });

  it("are one per client for a token that clients share, bounded in number", () => {
    const served = { name: "w", workspace: memoryWorkspace({}) };
    const sessions = sessionsOf();
    const { caller } = sessions.forClients("local").callerOf();
    const first = caller.sessionIn(served, "first");
    expect(sessions.forClients("local").callerOf().caller.sessionIn(served, "first")).toBe(first);
    expect([first.agent, caller.sessionIn(served).agent]).toEqual(["first", "local"]);
    expect(caller.sessionIn(served, "second").id).not.toBe(first.id);
    for (let n = 0; n < 97; n++) caller.sessionIn(served, `client ${n}`);
    expect(caller.sessionIn(served, "first")).toBe(first);
    for (let n = 0; n < 100; n++) caller.sessionIn(served, `later ${n}`);
    expect(caller.sessionIn(served, "first")).not.toBe(first);
  });

  it("are given up for the client that was unused longest, not for the one that came first", () => {
    const served = { name: "w", workspace: memoryWorkspace({}) };
    const { caller } = sessionsOf().forClients("local").callerOf();
    const first = caller.sessionIn(served, "first");
    const second = caller.sessionIn(served, "second");
    for (let n = 0; n < 98; n++) caller.sessionIn(served, `client ${n}`);
    expect(caller.sessionIn(served, "first")).toBe(first);
    caller.sessionIn(served, "one more");
    expect(caller.sessionIn(served, "first")).toBe(first);
    expect(caller.sessionIn(served, "second")).not.toBe(second);
  });

  it("have one session in every workspace, under the name that was proven", () => {
    const [a, b] = [memoryWorkspace({}), memoryWorkspace({})].map((workspace, n) => ({ name: `w${n}`, workspace }));
    const { caller } = sessionsOf().forPrincipal("ann").callerOf();
    const session = caller.sessionIn(a!, "some-client");
    expect(session.agent).toBe("ann");
    expect(caller.sessionIn(a!)).toBe(session);
    expect(caller.sessionIn(b!)).not.toBe(session);
    expect(caller.sessionIn(b!).id).toBe(session.id);
    expect(sessionsOf().forConnection().callerOf().caller.sessionIn(a!, "some-client").agent).toBe("some-client");
  });
});

/** Whose reads count, as a server of your own would ask. */
function sessionsOf(handles: FactoryOptions["handles"] = {}) {
  const served = [{ name: "w", workspace: memoryWorkspace({}) }] as const;
  return createServerFactory({ surface: surfaceNamed("tracked"), served: [...served], version: "1" }, { handles })
    .sessions;
}

/** A server for every call, as over stateless HTTP. */
function serving(extra: FactoryOptions = {}) {
  const workspace = memoryWorkspace({ "a.txt": "one\n" });
  const options: ServeOptions = { surface: surfaceNamed("tracked"), served: [{ name: "w", workspace }], version: "1" };
  const factory = createServerFactory(options, extra);
  const client = async (owner: string): Promise<Client> => {
    const [near, far] = InMemoryTransport.createLinkedPair();
    await factory.build(factory.sessions.byHandle(owner)).connect(far);
    const made = new Client(INFO);
    await made.connect(near);
    return made;
  };
  const call = async (owner: string, name: string, args: Record<string, unknown>) => {
    const made = await client(owner);
    const result = (await made.callTool({ name, arguments: args })) as CallResult;
    await made.close();
    return result;
  };
  return { options, client, call };
}
