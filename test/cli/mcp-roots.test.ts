// stet mcp without a root: it serves what the client has open, else where it was started, and never a home directory or a disk.
import { existsSync, mkdirSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { Client as ClientV2 } from "@modelcontextprotocol/client";
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import type { Transport as TransportV1 } from "@modelcontextprotocol/sdk/shared/transport.js";
import { ListRootsRequestSchema, ToolListChangedNotificationSchema } from "@modelcontextprotocol/sdk/types.js";
import type { InMemoryTransport } from "@modelcontextprotocol/server";
import { describe, expect, it } from "vitest";
import { mcpInProcess } from "../internal/support/mcp.ts";
import { type AnyClient, type CallResult, INFO, textOf } from "../serve/clients.ts";
import { tempDir } from "../support/temp.ts";

interface Named {
  /** What the client has open; undefined for one that cannot say. */
  roots?: string[];
}

const CAPABLE = { capabilities: { roots: { listChanged: true } } };
const KINDS = {
  v1: (named: Named) => {
    const client = new ClientV1(INFO, named.roots && CAPABLE);
    if (named.roots) client.setRequestHandler(ListRootsRequestSchema, () => rootsIn(named));
    return client as unknown as ClientV2 & AnyClient;
  },
  "v2 of 2025": (named: Named) => answering(new ClientV2(INFO, named.roots && CAPABLE), named),
  "v2 of 2026": (named: Named) => {
    const mode = { versionNegotiation: { mode: { pin: "2026-07-28" } } } as const;
    return answering(new ClientV2(INFO, { ...(named.roots && CAPABLE), ...mode }), named);
  },
};
type Kind = keyof typeof KINDS;
const EVERY: readonly Kind[] = ["v1", "v2 of 2026"];
const OF_2025: readonly Kind[] = ["v1", "v2 of 2025"];

function answering(client: ClientV2, named: Named): ClientV2 & AnyClient {
  if (named.roots) client.setRequestHandler("roots/list", () => rootsIn(named));
  return client as ClientV2 & AnyClient;
}

function rootsIn({ roots }: Named) {
  return { roots: roots!.map((uri) => ({ uri })) };
}

/** A machine with a home, in which lie the projects a, b and b/inner. */
function machine() {
  const home = realpathSync(tempDir());
  const places = ["a", "b", "b/inner"].map((name) => join(home, name));
  for (const place of places) {
    mkdirSync(place);
    writeFileSync(join(place, "who.txt"), `${place.slice(home.length + 1)} is here\n`);
  }
  const [a, b, inner] = places as [string, string, string];
  return { home, a, b, inner };
}

/** As `stet mcp` does it in `cwd`. */
async function connected(
  kind: Kind,
  cwd: string,
  home: string,
  named: Named = {},
  prepare = (_client: AnyClient): void => {},
  env: Readonly<Record<string, string>> = {},
) {
  const { near, said } = await mcpInProcess(cwd, { HOME: home, ...env });
  const client = KINDS[kind](named);
  prepare(client);
  await client.connect(near as unknown as TransportV1 & InMemoryTransport);
  const call = (name: string, input: Record<string, unknown>) =>
    client.callTool({ name, arguments: input }) as Promise<CallResult>;
  const read = async (more: object = {}) => textOf(await call("Read", { file_path: "who.txt", ...more }));
  const workspaces = async () => {
    const { tools } = await client.listTools();
    return tools[0]!.inputSchema.properties?.workspace as { enum?: string[] } | undefined;
  };
  return { client, said, call, read, workspaces };
}

const uri = (path: string): string => pathToFileURL(path).href;

describe.each(EVERY)("client %s", (kind) => {
  it("that names no roots is served the directory that stet was started in", async () => {
    const { home, a } = machine();
    const { read, client } = await connected(kind, a, home);
    expect(await read()).toContain("a is here");
    expect(client.getInstructions()).not.toContain("workspaces");
  });

  it("that has a directory open is served that one, wherever stet was started", async () => {
    const { home, a, b } = machine();
    for (const cwd of [a, home, "/"]) {
      const { read, call, said } = await connected(kind, cwd, home, { roots: [uri(b)] });
      expect([cwd, await read(), said.err]).toEqual([cwd, expect.stringContaining("b is here"), ""]);
      const edited = await call("Edit", { file_path: "who.txt", old_string: "here", new_string: "there" });
      expect(textOf(edited)).not.toMatch(/rejected|read/i);
      expect(readFileSync(join(b, "who.txt"), "utf8")).toBe("b is there\n");
      await call("Edit", { file_path: "who.txt", old_string: "there", new_string: "here" });
    }
    expect(readFileSync(join(a, "who.txt"), "utf8")).toBe("a is here\n");
  });

  it("that has several open has as many workspaces", async () => {
    const { home, a, b, inner } = machine();
    const roots = [uri(a), uri(b), uri(a), uri(inner), uri(join(home, "gone")), uri(join(a, "who.txt"))];
    const { read, workspaces, said } = await connected(kind, home, home, { roots });
    expect(await read({ workspace: "b" })).toContain("b is here");
    expect(await read({ workspace: "a" })).toContain("a is here");
    expect(await workspaces()).toMatchObject({ enum: ["a", "b"] });
    expect(await read()).toContain('Pass one of "a", "b" as `workspace`');
    expect(said.err).toContain(`The root ${join(home, "gone")} does not exist.`);
    expect(said.err).toContain(`The root ${join(a, "who.txt")} is not a directory.`);
    expect(said.err).toContain(`${inner} lies in ${b} and is served as a part of it.`);
  });

  it("that names none is never served a home or a whole disk, and is told in words", async () => {
    const { home, a } = machine();
    for (const cwd of [home, "/"]) {
      const { client, call, read, said } = await connected(kind, cwd, home);
      const words = `No root was named, and ${cwd} as a whole is hardly meant.`;
      expect(client.getInstructions()).toContain(words);
      expect(client.getInstructions()).toContain("stet install --client NAME --root DIR");
      expect(said.err).toContain(words);
      expect(said.err.match(/Tell the user/g)).toHaveLength(1);
      expect(client.getInstructions()).toMatch(/hardly meant\. Tell the user /);
      expect((await client.listTools()).tools.map(({ name }) => name)).toContain("Edit");
      expect(await read()).toContain(words);
      expect(await read({ file_path: join(a, "who.txt") })).toContain(words);
      const written = await call("Write", { file_path: "new.txt", content: "x" });
      expect([written.isError, textOf(written)]).toEqual([true, expect.stringContaining("Nothing is served.")]);
      expect(() => readFileSync(join(home, "new.txt"))).toThrow();
    }
  });

  it("that has only such directories open is served none of them, and is told why", async () => {
    const { home, a } = machine();
    for (const roots of [[uri(home)], [uri("/"), uri(home)], [uri(join(home, ".."))]]) {
      const { read, said } = await connected(kind, a, home, { roots });
      const answer = await read();
      expect(answer).toContain("Nothing is served of what the client named.");
      expect(answer).toContain("a whole home directory or lies above it.");
      expect(said.err).toContain("Nothing is served of what the client named.");
    }
  });

  it("that has nothing on this machine open is served where stet was started", async () => {
    const { home, a } = machine();
    for (const roots of [[], ["https://example.com/x", "untitled:1"]]) {
      const { read } = await connected(kind, a, home, { roots });
      expect(await read()).toContain("a is here");
    }
  });
});

describe.each(OF_2025)("client %s, when its roots change", (kind) => {
  it("is served the new ones; what it has read stays read", async () => {
    const { home, a, b } = machine();
    const named = { roots: [uri(a)] };
    const { client, call, read, workspaces } = await connected(kind, home, home, named);
    const told = new Promise<void>((resolve) => {
      if (kind === "v1")
        (client as unknown as ClientV1).setNotificationHandler(ToolListChangedNotificationSchema, () => resolve());
      else client.setNotificationHandler("notifications/tools/list_changed", () => resolve());
    });
    expect(await read()).toContain("a is here");
    expect(await workspaces()).toBeUndefined();
    named.roots = [uri(a), uri(b)];
    await client.sendRootsListChanged();
    await told;
    expect(await workspaces()).toMatchObject({ enum: ["a", "b"] });
    const edit = { file_path: "who.txt", old_string: "here", new_string: "there" };
    expect((await call("Edit", { ...edit, workspace: "b" })).isError).toBe(true);
    expect((await call("Edit", { ...edit, workspace: "a" })).isError ?? false).toBe(false);
    expect(readFileSync(join(a, "who.txt"), "utf8")).toBe("a is there\n");

    named.roots = [uri(b)];
    await client.sendRootsListChanged();
    expect(await read()).toContain("b is here");
    named.roots = [];
    rmSync(b, { recursive: true });
    await client.sendRootsListChanged();
    expect(await read()).toContain("Nothing is served.");
  });
});

describe("what a client says later", () => {
  const names = (roots: string[]): Named => ({ roots });

  it("no answer, or an error, leaves what is served as it is", async () => {
    const { home, a, b } = machine();
    const named = names([uri(b)]);
    const { client, call, read } = await connected("v1", a, home, named);
    expect(await read()).toContain("b is here");
    (client as unknown as ClientV1).setRequestHandler(ListRootsRequestSchema, () => {
      throw new Error("busy");
    });
    await client.sendRootsListChanged();
    const written = await call("Write", { file_path: "new.txt", content: "x\n" });
    expect(written.isError ?? false).toBe(false);
    expect([existsSync(join(a, "new.txt")), existsSync(join(b, "new.txt"))]).toEqual([false, true]);
  });

  it("an error as the first answer: where stet was started", async () => {
    const { home, a } = machine();
    const { client, read } = await connected("v1", a, home, names([]), (unready) =>
      (unready as unknown as ClientV1).setRequestHandler(ListRootsRequestSchema, () => {
        throw new Error("busy");
      }),
    );
    expect(await read()).toContain("a is here");
    await client.sendRootsListChanged();
    expect(await read()).toContain("a is here");
  });

  it.each([[[]], [["vscode-remote://ssh/x", "untitled:1"]]])(
    "%j after it had named one: nothing is served",
    async (none) => {
      const { home, a, b } = machine();
      const named = names([uri(b)]);
      const { client, call, read } = await connected("v1", a, home, named);
      expect(await read()).toContain("b is here");
      named.roots = none;
      await client.sendRootsListChanged();
      const written = await call("Write", { file_path: "new.txt", content: "x\n" });
      expect([written.isError, textOf(written)]).toEqual([
        true,
        expect.stringContaining("The client had directories open, and now names none on this machine."),
      ]);
      expect([a, b].filter((place) => existsSync(join(place, "new.txt")))).toEqual([]);
      named.roots = [uri(b)];
      await client.sendRootsListChanged();
      expect(await read()).toContain("b is here");
    },
  );

  it("a name that was given out never means another directory", async () => {
    const { home, a, b } = machine();
    const [x, y] = ["x/app", "y/app"].map((name) => join(home, name)) as [string, string];
    for (const place of [x, y]) {
      mkdirSync(place, { recursive: true });
      writeFileSync(join(place, "who.txt"), `${place.slice(home.length + 1)} is here\n`);
    }
    const named = names([uri(x), uri(b)]);
    const { client, read, workspaces } = await connected("v1", a, home, named);
    expect(await read({ workspace: "app" })).toContain("x/app is here");
    named.roots = [uri(y), uri(b)];
    await client.sendRootsListChanged();
    expect(await read({ workspace: "app" })).toContain('There is no workspace "app" here. Pass one of "app-2", "b"');
    expect(await read({ workspace: "app-2" })).toContain("y/app is here");
    named.roots = [uri(x), uri(y)];
    await client.sendRootsListChanged();
    await read({ workspace: "app" });
    expect(await workspaces()).toMatchObject({ enum: ["app", "app-2"] });
    expect(await read({ workspace: "app" })).toContain("x/app is here");
    named.roots = [uri(y)];
    await client.sendRootsListChanged();
    expect(await read({ workspace: "app" })).toContain('Only "app-2" is served now.');
    expect(await read({ workspace: "app-2" })).toContain("y/app is here");
  });

  it("a storm of notices asks it once while one is under way, and once more", async () => {
    const { home, a, b } = machine();
    const named = names([uri(a)]);
    const { client, read } = await connected("v1", home, home, named);
    expect(await read()).toContain("a is here");
    let asked = 0;
    (client as unknown as ClientV1).setRequestHandler(ListRootsRequestSchema, async () => {
      asked++;
      await pause(20);
      return rootsIn(named);
    });
    const storm = Array.from({ length: 300 }, () => client.sendRootsListChanged());
    named.roots = [uri(b)];
    await Promise.all(storm);
    expect(await read()).toContain("b is here");
    expect(asked).toBe(2);
    named.roots = [uri(a)];
    await client.sendRootsListChanged();
    expect(await read()).toContain("a is here");
    expect(asked).toBe(3);
  });
});

describe("a protected place", () => {
  it.each([".git", ".git/hooks", ".stet/below", "secrets", ".codex/worktrees", ".codex/worktrees/1/p/.git"])(
    "%s is no root",
    async (inside) => {
      const { home, a, b } = machine();
      mkdirSync(join(b, inside), { recursive: true });
      for (const [cwd, roots] of [
        [a, [uri(join(b, inside))]],
        [join(b, inside), undefined],
      ] as const) {
        const { call } = await connected("v1", cwd, home, roots && { roots: [...roots] });
        const written = await call("Write", { file_path: "pre-commit", content: "x\n" });
        expect([written.isError, textOf(written)]).toEqual([
          true,
          expect.stringContaining(`${join(b, inside)} is, or lies in, a protected place`),
        ]);
        expect(existsSync(join(b, inside, "pre-commit"))).toBe(false);
      }
    },
  );

  it.each([".dotfiles/p", ".codex/worktrees/1/p"])("is not made by a directory above: %s", async (below) => {
    const { home, a } = machine();
    const project = join(home, below);
    mkdirSync(project, { recursive: true });
    writeFileSync(join(project, "who.txt"), "p is here\n");
    for (const [cwd, roots] of [
      [a, [uri(project)]],
      [project, undefined],
    ] as const) {
      const { read } = await connected("v1", cwd, home, roots && { roots: [...roots] });
      expect(await read()).toContain("p is here");
    }
  });

  it("is also where stet keeps the histories", async () => {
    const { home, a } = machine();
    const state = realpathSync(process.env.STET_STATE!);
    mkdirSync(join(state, "inside"), { recursive: true });
    for (const place of [state, join(state, "inside")]) {
      const { read } = await connected("v1", a, home, { roots: [uri(place)] });
      expect(await read()).toContain(`${place} is where stet keeps the histories.`);
    }
  });
});

it("a root that is a link is also known by the link", async () => {
  const { home, a, b } = machine();
  const link = join(home, "link");
  symlinkSync(b, link);
  const { read } = await connected("v1", home, home, { roots: [uri(a), uri(link)] });
  expect(await read({ file_path: join(link, "who.txt") })).toContain("b is here");
  expect(await read({ file_path: join(b, "who.txt") })).toContain("b is here");
});

it("a configuration in each root holds for that root alone", async () => {
  const { home, a, b } = machine();
  writeFileSync(join(b, "stet.config.json"), JSON.stringify({ readOnly: true }));
  const { call } = await connected("v1", home, home, { roots: [uri(a), uri(b)] });
  const write = (workspace: string) => call("Write", { workspace, file_path: "new.txt", content: "x\n" });
  expect((await write("a")).isError ?? false).toBe(false);
  expect((await write("b")).isError).toBe(true);
});
