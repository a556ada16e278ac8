import type { Workspace } from "stet";
import type { ServeOptions } from "stet/serve";
import { surfaceNamed } from "stet/surfaces";
import { describe, expect, it } from "vitest";
import { memoryWorkspace } from "../support/workspace.ts";
import { connect as connectTo, ERAS, modernClient } from "./clients.ts";

const NAMES = [
  "plain.txt",
  "deep/er/still.txt",
  "with space.txt",
  "100%.txt",
  "%2e%2e",
  "a#b?c=d&e.txt",
  "grüße/日本語 🙂.md",
  "back\\slash",
  "{path}",
  "semi;colon,at@plus+.txt",
  "dots../a...b",
  "quote'\"<>.txt",
];

describe("resource URIs", () => {
  it("are listed for every name, and read what they are listed for, in both spellings of a slash", async () => {
    const files = Object.fromEntries(NAMES.map((path) => [path, `of ${path}`]));
    const workspace = memoryWorkspace(files);
    for (const options of [serving(files), severally(workspace)]) {
      const client = await connectTo(modernClient(), options);
      const start = options.served.length === 1 ? "stet:///" : "stet://the%20other%2Fone/";
      const { resources } = await client.listResources();
      const own = resources.map(({ uri }) => uri).filter((uri) => uri.startsWith(start));
      expect(own.map((uri) => decodeURIComponent(uri.slice(start.length))).sort()).toEqual([...NAMES].sort());
      for (const uri of own) {
        expect(new URL(uri).href).toBe(uri);
        const path = decodeURIComponent(uri.slice(start.length));
        for (const each of [uri, start + encodeURIComponent(path)])
          expect((await client.readResource({ uri: each })).contents).toMatchObject([{ text: `of ${path}` }]);
      }
    }
  });

  it.each([
    "stet:///",
    "stet:///../etc/passwd",
    "stet:///a/%2e%2e/b",
    "stet:///a%2f..%2f..%2fb",
    "stet:///./a",
    "stet:///a//b",
    "stet:////etc/passwd",
    "stet:///%2Fetc/passwd",
    "stet:///a%zz",
    "stet:///a%ff",
    "stet:///a?b",
    "stet:///a#b",
    "stet://w/a",
    "file:///a",
    "a",
    "",
  ])("refuse %s", async (uri) => {
    const client = await connectTo(modernClient(), serving({ a: "", b: "" }));
    await expect(client.readResource({ uri })).rejects.toThrow("does not name a file here");
  });
});

describe.each(ERAS)("%s", (_name, connect) => {
  it("reads text as text and other bytes as bytes, and that counts as read", async () => {
    const bytes = Buffer.from([0, 1, 2, 255]);
    const stray = Buffer.from([...Buffer.from("grüße, 日本語 "), 0xff, ...Buffer.from(" and plain text around it\n")]);
    const client = await connect(serving({ "a b.md": "# hi\n", "x.bin": bytes, "stray.txt": stray }, "tracked"));
    const read = async (uri: string) => (await client.readResource({ uri })).contents[0];
    expect(await read("stet:///a%20b.md")).toMatchObject({ mimeType: "text/markdown", text: "# hi\n" });
    expect(await read("stet:///x.bin")).toMatchObject({
      mimeType: "application/octet-stream",
      blob: bytes.toString("base64"),
    });
    expect(await read("stet:///stray.txt")).toMatchObject({
      mimeType: "application/octet-stream",
      blob: stray.toString("base64"),
    });
    const edit = { file_path: "a b.md", old_string: "hi", new_string: "ho" };
    expect((await client.callTool({ name: "Edit", arguments: edit })).isError).toBeUndefined();
  });

  it("says what is not there, and what may not be read", async () => {
    const options = serving({ "secret.txt": "s", "a/b.txt": "b" });
    const client = await connect(options);
    const missing = client.readResource({ uri: "stet:///nope.txt" });
    await expect(missing).rejects.toMatchObject({ code: -32602, data: { uri: "stet:///nope.txt" } });
    const denied = client.readResource({ uri: "stet:///secret.txt" });
    await expect(denied).rejects.toThrow(/policy denies/);
    await expect(denied).rejects.toMatchObject({ data: { "stet/failure": { kind: "permission_denied" } } });
    await expect(client.readResource({ uri: "stet:///a" })).rejects.toThrow(/directory/);
    await expect(client.readResource({ uri: "stet:///..%2Fpasswd" })).rejects.toThrow(/does not name a file/);
    const journal = [];
    for await (const { tool, agent, outcome, error } of options.served[0].workspace.log())
      journal.push({ tool, agent, outcome, error });
    expect(journal).toEqual([
      { tool: "resources/read", agent: "a-client", outcome: "refused", error: "permission_denied" },
    ]);
  });

  it("lists by pages, without what may not be read", async () => {
    const files = Object.fromEntries(Array.from({ length: 450 }, (_, n) => [`f${n}.txt`, "x"]));
    const client = await connect(serving({ ...files, "secret.txt": "s" }));
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await client.listResources(cursor === undefined ? { cursor: FIRST } : { cursor });
      expect(page.resources.length).toBeLessThanOrEqual(200);
      seen.push(...page.resources.map(({ name }) => name));
      cursor = page.nextCursor;
    } while (cursor !== undefined);
    expect(seen.sort()).toEqual(Object.keys(files).sort());
    await expect(client.listResources({ cursor: "xx" })).rejects.toMatchObject({ code: -32602 });
  });

  it("completes paths", async () => {
    const client = await connect(serving({ "src/main.ts": "", "src/map/x": "", "src/other": "", "secret.txt": "" }));
    const complete = async (value: string, uri = "stet:///{path}") =>
      (await client.complete({ ref: { type: "ref/resource", uri }, argument: { name: "path", value } })).completion
        .values;
    expect(await complete("src/ma")).toEqual(["src/main.ts", "src/map/"]);
    expect(await complete("s")).toEqual(["src/"]);
    for (const none of ["../", "src/../", "src//", "./", "/src/"]) expect(await complete(none), none).toEqual([]);
    expect(await complete("src/", "other:///{path}")).toEqual([]);
  });
});

/** A cursor before everything: v2 clients gather all pages when they are given none. */
const FIRST = Buffer.from(JSON.stringify(["w", ""])).toString("base64url");

function serving(files: Record<string, string | Uint8Array>, surface = "workspace"): ServeOptions {
  const workspace = memoryWorkspace(files, { policy: { deniedPaths: ["secret.txt"] } });
  return { surface: surfaceNamed(surface), served: [{ name: "w", workspace }], version: "1" };
}

function severally(workspace: Workspace): ServeOptions {
  const { served, ...rest } = serving({});
  return { ...rest, served: [served[0], { name: "the other/one", workspace }] };
}
