// A workspace whose lock another stet chose and this one cannot use: everything in it can be read, and nothing be changed.
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { openWorkspace } from "stet";
import { describe, expect, it } from "vitest";
import { mcpCalls } from "../package/mcp-call.ts";
import { refuses } from "../support/assertions.ts";
import { directoryWith } from "../support/workspace.ts";

const bin = fileURLToPath(new URL("../../dist/bin/stet.cjs", import.meta.url));
const withoutNative = { STET_NO_NATIVE: "1", XDG_CACHE_HOME: directoryWith({}) };

describe("without the native package, where its lock was recorded", () => {
  it("everything can be read, also what somebody changed meanwhile, and every change is refused in clear words", async (context) => {
    const root = directoryWith({});
    const workspace = openWorkspace({ root });
    const session = workspace.session();
    await session.create("a.txt", "one\n");
    await session.write("a.txt", "two\n");
    await workspace.close();
    const recorded = join(root, ".stet/lock-kind");
    const kind = readFileSync(recorded, "utf8");
    context.skip(kind === "lease\n", "the native package does not load here");
    writeFileSync(join(root, "a.txt"), "by hand\n");

    const server = { command: process.execPath, args: [bin, "mcp", root], env: withoutNative };
    const [read, found, logged, created, deleted] = await mcpCalls(server, [
      ["read_file", { path: "a.txt" }],
      ["search_files", { query: "hand", mode: "text" }],
      ["audit_log", {}],
      ["create_file", { path: "b.txt", content: "b\n" }],
      ["delete_file", { path: "a.txt" }],
    ]);
    expect(read).toContain("by hand");
    expect(found).toContain("a.txt");
    expect(logged).toContain("a.txt");
    for (const refused of [created, deleted]) {
      expect(refused).toContain(`The lock of this workspace is "${kind.trim()}", recorded in .stet/lock-kind`);
      expect(refused).toContain("Files can be read, but not changed.");
      expect(refused).toContain("Stop every stet on this workspace, remove .stet/lock-kind, and make the next");
    }
    expect(existsSync(join(root, "b.txt"))).toBe(false);
    expect(readFileSync(join(root, "a.txt"), "utf8")).toBe("by hand\n");

    expect(stet(root, "log")).toMatchObject({ status: 0, stdout: expect.stringContaining("a.txt") });
    expect(stet(root, "show", "1")).toMatchObject({ status: 0, stdout: expect.stringContaining("a.txt") });
    expect(stet(root, "verify")).toMatchObject({ status: 0 });
    const { findings } = JSON.parse(stet(root, "doctor", "--json").stdout);
    expect(findings).toContainEqual(expect.objectContaining({ about: "locks", state: "warn" }));
    expect(readFileSync(recorded, "utf8")).toBe(kind);

    const again = openWorkspace({ root });
    const entries = [];
    for await (const { outcome } of again.log()) entries.push(outcome);
    expect(entries).toEqual(["applied", "applied"]);
    await again.session().read("a.txt");
    for await (const { outcome } of again.log({ sinceSeq: 3 })) entries.push(outcome);
    expect(entries).toEqual(["applied", "applied", "external"]);
    await again.close();
  });
});

describe("where the native package has no build, as on Alpine (musl)", () => {
  it("a workspace is locked by a lease, every other process keeps to it, and doctor says so", async () => {
    const root = directoryWith({});
    const server = { command: process.execPath, args: [bin, "mcp", root], env: withoutNative };
    const [created] = await mcpCalls(server, [["create_file", { path: "a.txt", content: "a\n" }]]);
    expect(created).toContain("a.txt");
    expect(readFileSync(join(root, "a.txt"), "utf8")).toBe("a\n");
    expect(readFileSync(join(root, ".stet/lock-kind"), "utf8")).toBe("lease\n");
    // This process may have the package, and goes by the lease all the same.
    writeFileSync(join(root, ".stet/held"), JSON.stringify({ pid: 1, host: "elsewhere", nonce: "0123456789abcdef" }));
    const here = openWorkspace({ root, lockMs: 50 });
    await refuses("busy", () => here.session().create("b.txt", "b\n"));
    await here.close();
    const { findings } = JSON.parse(stet(root, "doctor", "--json").stdout);
    expect(findings).toContainEqual(expect.objectContaining({ about: "locks", state: "warn" }));
    expect(JSON.stringify(findings)).toContain("a lease, because the package fs-native-extensions");
  });
});

function stet(cwd: string, ...args: string[]) {
  return spawnSync(process.execPath, [bin, ...args], {
    cwd,
    encoding: "utf8",
    env: { ...process.env, ...withoutNative },
  });
}
