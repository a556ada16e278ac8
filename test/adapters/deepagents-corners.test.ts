// stet as the storage of deepagents, in what its tools seldom ask for: pages, bytes, paths, and how far a search goes.
import { chmodSync, existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { deepagentsBackend } from "stet/adapters/deepagents";
import { describe, expect, it } from "vitest";
import { open, PIXEL } from "./support/cases.ts";

describe("reads", () => {
  it("show 500 lines unless told otherwise, and no line where none is asked for", async () => {
    const { workspace } = open({ "a.txt": "x\n".repeat(501) });
    const backend = deepagentsBackend(workspace.session());
    expect(await backend.read("/a.txt")).toMatchObject({ startLine: 1, endLine: 500, nextOffset: 500 });
    for (const limit of [0, -3])
      expect(await backend.read("/a.txt", 7, limit)).toEqual({ error: expect.stringMatching(`limit is ${limit}`) });
    await workspace.close();
  });

  it("give bytes for what is no text, which then counts as shown", async () => {
    const { root, workspace } = open({});
    const odd = Buffer.from([0xff, 0xfe, 0x41]);
    writeFileSync(join(root, "dot.PNG"), PIXEL);
    writeFileSync(join(root, "odd.txt"), odd);
    const backend = deepagentsBackend(workspace.session());
    const upload = () => backend.uploadFiles([["/dot.PNG", new Uint8Array([1])]]);
    expect(await backend.readRaw("/dot.PNG")).toMatchObject({
      data: { content: PIXEL, mimeType: "image/png" },
    });
    expect(await upload()).toEqual([{ path: "/dot.PNG", error: "permission_denied" }]);
    expect(await backend.read("/dot.PNG")).toEqual({ content: PIXEL, mimeType: "image/png" });
    expect(await upload()).toEqual([{ path: "/dot.PNG", error: null }]);
    expect(await backend.read("/odd.txt")).toEqual({ content: odd, mimeType: expect.any(String) });
    await workspace.close();
  });

  it("show bytes that are no UTF-8 as the surfaces show them", async () => {
    const { root, workspace } = open({});
    writeFileSync(join(root, "a.txt"), Buffer.from("caf\xe9\nbar\n", "latin1"));
    const backend = deepagentsBackend(workspace.session());
    expect(await backend.read("/a.txt")).toMatchObject({ content: "caf\\xE9\nbar" });
    await workspace.close();
  });
});

describe("writes", () => {
  it("take base64 for a name that stands for bytes, as deepagents' own storages do", async () => {
    const { root, workspace } = open({});
    const backend = deepagentsBackend(workspace.session());
    const base64 = Buffer.from(PIXEL).toString("base64");
    const forms = {
      "a.png": base64,
      "b.JPG": `data:image/jpeg;base64,${base64}`,
      "c.pptx": `${base64.slice(0, 8)}\n${base64.slice(8)}`,
    };
    for (const [name, content] of Object.entries(forms)) {
      expect(await backend.write(`/${name}`, content)).toEqual({ path: `/${name}`, filesUpdate: null });
      expect(readFileSync(join(root, name))).toEqual(Buffer.from(PIXEL));
    }
    await workspace.close();
  });

  it("of anything else to such a name are refused in words", async () => {
    const { root, workspace } = open({});
    const backend = deepagentsBackend(workspace.session());
    for (const content of ["a picture of a cat", "<svg/>", "iVBORw0KG-_goA"])
      expect(await backend.write("/a.png", content)).toEqual({
        error: "Nothing was written. a.png holds bytes, and what was given is not base64. Give its bytes in base64.",
      });
    expect(existsSync(join(root, "a.png"))).toBe(false);
    await workspace.close();
  });
});

describe("paths", () => {
  it("may begin with more than one slash", async () => {
    const { workspace } = open({ "a.txt": "one\n" });
    const backend = deepagentsBackend(workspace.session());
    expect(await backend.read("//a.txt")).toMatchObject({ content: "one" });
    expect(await backend.edit("//a.txt", "one", "two")).toMatchObject({ occurrences: 1 });
    await workspace.close();
  });

  it("that no file can have are told as such", async () => {
    const { workspace } = open({});
    const path = "/a\0b";
    const backend = deepagentsBackend(workspace.session());
    expect(await backend.downloadFiles([path])).toEqual([{ path, content: null, error: "invalid_path" }]);
    expect(await backend.uploadFiles([[path, new Uint8Array()]])).toEqual([{ path, error: "invalid_path" }]);
    await workspace.close();
  });
});

describe("changes", () => {
  it("of what is no text are refused in words, and written down", async () => {
    const { root, workspace } = open({ "a.txt": "undefined one\n" });
    const backend = deepagentsBackend(workspace.session());
    await backend.read("/a.txt");
    const wrong = { error: expect.stringMatching(/^Edit rejected, file unchanged\. .*no text/) };
    for (const given of [undefined, null, 7, {}]) {
      expect(await backend.edit("/a.txt", given as never, "x")).toEqual(wrong);
      expect(await backend.edit("/a.txt", "one", given as never)).toEqual(wrong);
    }
    expect(readFileSync(join(root, "a.txt"), "utf8")).toBe("undefined one\n");
    let refused = 0;
    for await (const { outcome } of workspace.log()) refused += Number(outcome === "refused");
    expect(refused).toBe(8);
    await workspace.close();
  });

  it("leave a program one that can be run", async () => {
    const { root, workspace } = open({ "run.sh": "#!/bin/sh\n" });
    chmodSync(join(root, "run.sh"), 0o755);
    const backend = deepagentsBackend(workspace.session());
    await backend.downloadFiles(["/run.sh"]);
    await backend.uploadFiles([["/run.sh", new TextEncoder().encode("#!/bin/sh\nexit 1\n")]]);
    expect(readFileSync(join(root, "run.sh"), "utf8")).toBe("#!/bin/sh\nexit 1\n");
    expect(statSync(join(root, "run.sh")).mode & 0o777).toBe(0o755);
    await workspace.close();
  });
});

describe("searches", () => {
  const files = { "a.ts": "one one\n", "src/b.ts": "one\n", "src/c.md": "one\n", "node_modules/x/d.ts": "one\n" };
  const searched = () => {
    const { workspace } = open(files);
    return { workspace, backend: deepagentsBackend(workspace.session()) };
  };

  it("for names take a pattern from the root on, and leave out what others made", async () => {
    const { workspace, backend } = searched();
    const found = async (pattern: string, path?: string) => {
      const answer = await backend.glob(pattern, path);
      return "files" in answer ? answer.files?.map((file) => file.path) : answer;
    };
    expect(await found("**/*.ts")).toEqual(["/a.ts", "/src/b.ts"]);
    expect(await found("/src/*.ts")).toEqual(["/src/b.ts"]);
    expect(await found("/*.md", "/src")).toEqual(["/src/c.md"]);
    await workspace.close();
  });

  it("for text tell of a line once, in the files that were asked for, as often as was asked for", async () => {
    const { workspace, backend } = searched();
    const [a, b] = [
      { path: "/a.ts", line: 1, text: "one one" },
      { path: "/src/b.ts", line: 1, text: "one" },
    ];
    expect(await backend.grep("one", null, "*.ts")).toEqual({ matches: [a, b], truncated: false });
    expect(await backend.grep("one", "/src", "*.ts", null)).toEqual({ matches: [b], truncated: false });
    expect(await backend.grep("one", "/", null, 1)).toMatchObject({ matches: [a], truncated: true });
    await workspace.close();
  });
});

it("lines that a search finds have no line end", async () => {
  const { workspace } = open({ "a.txt": "one\r\ntwo\r\n" });
  const found = await deepagentsBackend(workspace.session()).grep("one");
  expect(found).toMatchObject({ matches: [{ path: "/a.txt", line: 1, text: "one" }] });
  await workspace.close();
});
