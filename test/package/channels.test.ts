// The other ways to get stet: the registry entry, the bundle for desktop clients, the container.
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { unpackExtension } from "@anthropic-ai/mcpb";
import { describe, expect, it } from "vitest";
import { tempDir } from "../support/temp.ts";
import { directoryWith } from "../support/workspace.ts";
import { mcpCalls } from "./mcp-call.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const read = (path: string): string => readFileSync(join(root, path), "utf8");
const manifest = JSON.parse(read("package.json"));

describe("server.json", () => {
  const entry = JSON.parse(read("server.json"));

  it("keeps the rules of the registry", () => {
    expect(entry.$schema).toBe("https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json");
    expect(entry.name).toMatch(/^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/);
    expect(entry.name.length).toBeLessThanOrEqual(200);
    expect(entry.title.length).toBeLessThanOrEqual(100);
    expect(entry.description.length).toBeLessThanOrEqual(100);
    const known = ["$schema", "name", "title", "description", "version", "packages", "repository", "websiteUrl"];
    expect(Object.keys(entry).filter((key) => !known.includes(key))).toEqual([]);
  });

  it("speaks of this package", () => {
    expect([entry.name, entry.version]).toEqual([manifest.mcpName, manifest.version]);
    const [first, ...others] = entry.packages;
    expect(others).toEqual([]);
    expect(first).toMatchObject({
      registryType: "npm",
      identifier: manifest.name,
      version: manifest.version,
      transport: { type: "stdio" },
      packageArguments: [
        { type: "positional", value: "mcp" },
        { type: "positional", valueHint: "root" },
      ],
    });
    // npx picks the command that is named like the package.
    expect(Object.keys(manifest.bin)).toEqual([manifest.name]);
  });
});

describe("stet.mcpb", () => {
  it("is valid, and the server in it answers, also where the package from npm was at work before", async () => {
    const folder = tempDir();
    const bundle = join(folder, "stet.mcpb");
    execFileSync(process.execPath, [join(root, "scripts/mcpb.mjs"), bundle], { cwd: root, stdio: "pipe" });
    const unpacked = join(folder, "unpacked");
    expect(await unpackExtension({ mcpbPath: bundle, outputDir: unpacked, silent: true })).toBe(true);
    const { version, server, user_config } = JSON.parse(readFileSync(join(unpacked, "manifest.json"), "utf8"));
    expect(version).toBe(manifest.version);

    const workspace = directoryWith({ "a.txt": "one two\n", "b.yaml": "a: 1\n" });
    const before = ["call", "create_file", '{"path":"npm.txt","content":"two\\n"}'];
    execFileSync(process.execPath, [join(root, manifest.bin.stet), ...before], { cwd: workspace, stdio: "pipe" });
    const given: Record<string, string> = {
      __dirname: unpacked,
      "user_config.roots": workspace,
      "user_config.surface": user_config.surface.default,
      "user_config.read_only": String(user_config.read_only.default),
    };
    const filled = (text: string): string => text.replaceAll(/\$\{([\w.]+)\}/g, (_, name) => given[name]!);
    const { args, env } = server.mcp_config;
    const settings = Object.entries<string>(env).map(([name, value]) => [name, filled(value)]);
    const [found, known, made] = await mcpCalls(
      {
        command: process.execPath,
        args: args.map(filled),
        env: { ...Object.fromEntries(settings), XDG_CACHE_HOME: join(folder, "cache") },
      },
      [
        ["search_files", { query: "t.o", mode: "regex" }],
        ["read_file", { path: "npm.txt" }],
        ["create_file", { path: "c.txt", content: "three\n" }],
      ],
    );
    expect(found).toContain("a.txt");
    expect(known).toContain("two");
    expect(made).toContain("c.txt");
    expect(readFileSync(join(workspace, "c.txt"), "utf8")).toBe("three\n");
  });
});

describe("Dockerfile", () => {
  const lines = read("Dockerfile").split("\n");
  const stages = lines.filter((line) => line.startsWith("FROM "));

  it("copies only what exists and is not ignored", () => {
    const ignored = read(".dockerignore").split("\n").filter(Boolean);
    const copied = lines
      .filter((line) => /^COPY (?!--from)/.test(line))
      .flatMap((line) => line.split(/\s+/).slice(1, -1));
    expect(copied.length).toBeGreaterThan(5);
    expect(copied.filter((path) => !existsSync(join(root, path)) || ignored.includes(path))).toEqual([]);
    // Everything that the build reads is there.
    for (const needed of ["src", "scripts", "tsconfig.build.json", "tsconfig.json"]) expect(copied).toContain(needed);
  });

  it("ends as an ordinary user, and runs the command", () => {
    expect(stages).toHaveLength(2);
    const last = lines.slice(lines.lastIndexOf(stages.at(-1)!));
    expect(last.findLast((line) => line.startsWith("USER "))).toBe("USER node");
    expect(last).toContain('ENTRYPOINT ["stet"]');
    expect(last.join("\n")).toContain(`/app/${manifest.bin.stet}`);
  });
});
