// Session scopes: whose reads count together, bounded in number, and never mistaken for another.
import { createServerFactory, type SessionScope } from "stet/serve";
import { surfaceNamed } from "stet/surfaces";
import { describe, expect, it } from "vitest";
import { memoryWorkspace } from "../support/workspace.ts";

describe("session scopes", () => {
  it("are one per connection, and one per token with a name", () => {
    const served = { name: "w", workspace: memoryWorkspace({}) };
    const sessions = sessionsOf();
    const id = (scope: SessionScope) => scope.sessionIn(served).id;
    const connection = sessions.forConnection();
    expect(id(connection)).toBe(id(connection));
    expect(id(sessions.forConnection())).not.toBe(id(connection));
    expect(id(sessions.forConnection("ann"))).not.toBe(id(sessions.forConnection("ann")));
    expect(id(sessions.forToken("ann"))).toBe(id(sessions.forToken("ann")));
    expect(id(sessions.forToken("ann"))).not.toBe(id(sessions.forToken("bob")));
    expect([connection, sessions.forToken("ann"), sessions.forClients("default")].map(({ words }) => words)).toEqual([
      "What you have read counts for this connection.",
      'What you have read counts for every call made as "ann".',
      "What you have read counts for every call that this client makes, in all its connections.",
    ]);
  });

  it("are one per client for a token that clients share, bounded in number", () => {
    const served = { name: "w", workspace: memoryWorkspace({}) };
    const sessions = sessionsOf();
    const caller = sessions.forClients("local");
    const first = caller.sessionIn(served, "first");
    expect(sessions.forClients("local").sessionIn(served, "first")).toBe(first);
    expect([first.agent, caller.sessionIn(served).agent]).toEqual(["first", "local"]);
    expect(caller.sessionIn(served, "second").id).not.toBe(first.id);
    for (let n = 0; n < 97; n++) caller.sessionIn(served, `client ${n}`);
    expect(caller.sessionIn(served, "first")).toBe(first);
    for (let n = 0; n < 100; n++) caller.sessionIn(served, `later ${n}`);
    expect(caller.sessionIn(served, "first")).not.toBe(first);
  });

  it("are given up for the client that was unused longest, not for the one that came first", () => {
    const served = { name: "w", workspace: memoryWorkspace({}) };
    const caller = sessionsOf().forClients("local");
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
    const caller = sessionsOf().forToken("ann");
    const session = caller.sessionIn(a!, "some-client");
    expect(session.agent).toBe("ann");
    expect(caller.sessionIn(a!)).toBe(session);
    expect(caller.sessionIn(b!)).not.toBe(session);
    expect(caller.sessionIn(b!).id).toBe(session.id);
    expect(sessionsOf().forConnection().sessionIn(a!, "some-client").agent).toBe("some-client");
  });
});

/** Whose reads count, as a server of your own would ask. */
function sessionsOf() {
  const served = [{ name: "w", workspace: memoryWorkspace({}) }] as const;
  return createServerFactory({ surface: surfaceNamed("tracked"), served: [...served], version: "1" }).sessions;
}
