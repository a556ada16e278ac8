// Seed 002: `allowed_paths` with absolute globs outside the workspace: each a further workspace, and nothing else opens.
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openWorkspace, type PolicyInput, type Workspace } from "stet";
import { compact, files, workspace as workspaceSurface } from "stet/surfaces";
import { describe, expect, it } from "vitest";
import { agentIn, agentOf } from "../support/agent.ts";
import { directoryWith } from "../support/workspace.ts";

interface Place {
  readonly root: string;
  readonly other: string;
  readonly unlisted: string;
}

function place(): Place {
  return {
    root: directoryWith({ "a.txt": "in the root\n" }),
    other: directoryWith({ "b.txt": "elsewhere\n", ".env": "SECRET=1\n", "deep/c.txt": "deep elsewhere\n" }),
    unlisted: directoryWith({ "d.txt": "not listed\n" }),
  };
}

const listed = ({ other }: Place): PolicyInput => ({ allowed_paths: ["{{workdir}}/**", `${other}/**`] });

describe('- "/tmp/**"', () => {
  it("the library reads, writes, edits and searches there by absolute path, with a history of its own", async () => {
    const here = place();
    const { root, other } = here;
    const workspace = openWorkspace({ root, policy: listed(here) });
    const agent = agentIn(workspace, compact);
    expect((await agent.call("Read", { file_path: join(other, "b.txt") })).text).toContain("elsewhere");
    expect((await agent.call("Write", { file_path: join(other, "new/n.txt"), content: "new\n" })).ok).toBe(true);
    const edit = { file_path: join(other, "b.txt"), old_string: "elsewhere", new_string: "changed" };
    expect((await agent.call("Edit", edit)).ok).toBe(true);
    expect(readFileSync(join(other, "b.txt"), "utf8")).toBe("changed\n");
    expect((await agent.call("Glob", { pattern: `${other}/**/*.txt` })).text.split("\n").sort()).toEqual(
      ["b.txt", "deep/c.txt", "new/n.txt"].map((path) => join(other, path)),
    );
    expect((await agent.call("Glob", { pattern: "**/*.txt" })).text).toBe(join(root, "a.txt"));
    const { text } = await agent.call("Grep", { pattern: "deep", path: other });
    expect(text).toContain("deep/c.txt");
    expect(text).toContain(`Paths here are relative to ${other}; in calls, write them as absolute paths.`);
    expect((await agent.call("Grep", { pattern: "root" })).text).toBe("a.txt:1:in the root");
    expect((await agent.call("Write", { file_path: "a.txt", content: "mine\n" })).ok).toBe(true);
    expect(readFileSync(join(root, "a.txt"), "utf8")).toBe("mine\n");

    expect(readdirSync(other).sort()).toEqual([".env", ".stet", "b.txt", "deep", "new"]);
    expect(readdirSync(root).sort()).toEqual([".stet", "a.txt"]);
    const paths = async (one: Workspace): Promise<string[]> => {
      const all: string[] = [];
      for await (const { changes = [] } of one.log()) all.push(...changes.map(({ path }) => path));
      return all.sort();
    };
    expect(await paths(workspace)).toEqual(["a.txt"]);
    expect(await paths(workspace.further[0]!)).toEqual(["b.txt", "new/n.txt"]);
    await workspace.close();
  });

  it("arguments that come as JSON mean the same workspace", async () => {
    const here = place();
    const workspace = openWorkspace({ root: here.root, policy: listed(here) });
    const read = JSON.stringify({ file_path: join(here.other, "b.txt") });
    expect(await agentIn(workspace, compact).call("Read", read)).toMatchObject({
      ok: true,
      text: expect.stringContaining("elsewhere"),
    });
    await workspace.close();
  });

  it("nothing outside opens unless it is listed, and each is confined in itself", async () => {
    const here = place();
    const { root, other, unlisted } = here;
    symlinkSync(unlisted, join(other, "way-out"));
    symlinkSync(root, join(other, "way-back"));
    const agent = agentIn(openWorkspace({ root, policy: listed(here) }), compact);
    for (const path of [
      join(unlisted, "d.txt"),
      join(other, "..", "x.txt"),
      join(other, "way-out/d.txt"),
      join(other, "way-back/a.txt"),
      join(other, ".env"),
      join(other, ".stet/x"),
      ".stet/x",
    ]) {
      expect([path, (await agent.call("Read", { file_path: path })).ok]).toEqual([path, false]);
      expect([path, (await agent.call("Write", { file_path: path, content: "x" })).ok]).toEqual([path, false]);
    }
    expect(readFileSync(join(unlisted, "d.txt"), "utf8")).toBe("not listed\n");
    expect((await agent.call("Read", { file_path: join(unlisted, "d.txt") })).text).toContain("outside");
  });

  it("only what the globs list opens, and what is denied in the root is denied there", async () => {
    const here = place();
    const policy = {
      allowedPaths: ["**", `${here.other}/deep/*.txt`, `${here.other}/b.txt`],
      deniedPaths: ["**/c.txt"],
    };
    const workspace = openWorkspace({ root: here.root, policy });
    expect(workspace.further.map(({ backend }) => backend.directory)).toEqual([here.other]);
    const agent = agentIn(workspace, compact);
    expect((await agent.call("Read", { file_path: join(here.other, "b.txt") })).ok).toBe(true);
    expect((await agent.call("Read", { file_path: join(here.other, "deep/c.txt") })).ok).toBe(false);
    expect((await agent.call("Write", { file_path: join(here.other, "deep/e.txt"), content: "x" })).ok).toBe(true);
    expect((await agent.call("Write", { file_path: join(here.other, "e.txt"), content: "x" })).ok).toBe(false);
    const readOnly = openWorkspace({ root: here.root, policy: { ...policy, readonly: true } });
    expect((await agentIn(readOnly, compact).call("Read", { file_path: join(here.other, "b.txt") })).ok).toBe(true);
    expect(readOnly.further[0]!.policy.readOnly).toBe(true);
  });

  it("a directory that the workspace lies in: the workspace itself is not reached through it", async () => {
    const { root: outer } = place();
    const root = join(outer, "project");
    mkdirSync(root);
    writeFileSync(join(root, "p.txt"), "project\n");
    const workspace = openWorkspace({ root, policy: { allowed_paths: [`${outer}/**`] } });
    const agent = agentIn(workspace, compact);
    expect((await agent.call("Read", { file_path: join(outer, "a.txt") })).ok).toBe(true);
    expect((await agent.call("Write", { file_path: join(root, "p.txt"), content: "changed\n" })).ok).toBe(true);
    expect((await agent.call("Glob", { pattern: `${outer}/**/*.txt` })).text).toBe(join(outer, "a.txt"));
    const [further] = workspace.further;
    expect(further!.policy.allows("project/p.txt", "read")).toBe(false);
    expect(readdirSync(outer).sort()).toEqual(["a.txt", "project"]);
    await workspace.close();
  });

  it("what was read there counts there, and the journal there names the agent", async () => {
    const here = place();
    const { root, other } = here;
    const large = join(other, "large.txt");
    writeFileSync(large, "one line of many\n".repeat(100).concat("the last line\n"));
    const workspace = openWorkspace({ root, policy: listed(here) });
    const agent = agentIn(workspace, compact, "tester");
    const edit = { file_path: large, old_string: "the last line", new_string: "the end" };
    expect((await agent.call("Edit", edit)).text).toContain("has not been read");
    await agent.call("Read", { file_path: large });
    expect(await agent.call("Edit", edit)).toMatchObject({ ok: true });
    const agents: (string | undefined)[] = [];
    for await (const { agent } of workspace.further[0]!.log()) agents.push(agent);
    expect(new Set(agents)).toEqual(new Set(["tester"]));
    const unnamed = agentOf(workspace.session(), compact);
    expect(await unnamed.call("Write", { file_path: large, content: "x\n" })).toMatchObject({ ok: true });
    await workspace.close();
  });

  it("names in a store are no paths", async () => {
    const here = place();
    const store = files({ mode: "store", env: {} });
    const agent = agentIn(openWorkspace({ root: here.root, policy: listed(here) }), store);
    const file_path = join(here.other, "b.txt");
    await agent.call("files", { params: { command: "write", file_path, content: "in the store\n" } });
    expect((await agent.call("files", { params: { command: "ls" } })).text).toContain(file_path.slice(1));
    expect(readFileSync(file_path, "utf8")).toBe("elsewhere\n");
  });

  it("one call has one workspace", async () => {
    const here = place();
    const agent = agentIn(openWorkspace({ root: here.root, policy: listed(here) }), workspaceSurface);
    const input = { fromPath: join(here.root, "a.txt"), toPath: join(here.other, "a.txt") };
    expect((await agent.call("move_file", input)).text).toContain("One call has one workspace");
    expect(existsSync(join(here.root, "a.txt"))).toBe(true);
  });

  it("protected places, whole homes and disks, and what is no directory stay closed, and that is told", () => {
    const here = place();
    for (const name of [".ssh", ".git"]) mkdirSync(join(here.other, name));
    const globs = [
      "/**",
      `${process.env.HOME}/**`,
      `${here.other}/.ssh/**`,
      `${here.other}/.git/hooks/**`,
      "/nonexistent/x/**",
    ];
    for (const glob of globs) {
      const workspace = openWorkspace({ root: here.root, policy: { allowedPaths: ["**", glob] } });
      expect([glob, workspace.further.length]).toEqual([glob, 0]);
      expect(workspace.notOpened.join()).toMatch(/stays closed/);
    }
  });
});
