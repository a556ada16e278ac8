// What is not there is refused with the names that are near, as far as the policy lets them be listed.
import { symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Backend, Refusal, Workspace, type WorkspaceOptions } from "stet";
import { memory } from "stet/backends/memory";
import { describe, expect, it } from "vitest";
import { all } from "../support/assertions.ts";
import { tempDir } from "../support/temp.ts";
import { directoryWith, memoryWorkspace, workspaceIn } from "../support/workspace.ts";

const FILES = {
  "src/server.ts": "1\n",
  "src/Index.ts": "2\n",
  "src/config.yaml": "3\n",
  "src/zebra.ts": "4\n",
  "test1.ts": "5\n",
  "test2.ts": "6\n",
  "test3.ts": "7\n",
  "test4.ts": "8\n",
  "README.md": "9\n",
  ".env": "KEY=1\n",
};

async function refusalOf(work: Promise<unknown>): Promise<Refusal> {
  const error = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (error instanceof Refusal) return error;
  throw new Error(`It was not refused: ${error}`);
}

describe("names near a missing one", () => {
  const nearTo = async (path: string, options?: WorkspaceOptions): Promise<unknown> => {
    const session = memoryWorkspace(FILES, options).session();
    return (await refusalOf(session.read(path))).failure.details?.nearest;
  };

  it.each([
    ["a letter too few", "src/serve.ts", ["src/server.ts"]],
    ["another case", "src/index.ts", ["src/Index.ts"]],
    ["another case of the directory", "SRC/server.ts", ["src/server.ts"]],
    ["letters that changed places", "src/sevrer.ts", ["src/server.ts"]],
    ["another extension", "src/config.json", ["src/config.yaml"]],
    ["no extension", "README", ["README.md"]],
    ["a directory that is misspelt", "scr/server.ts", ["src/server.ts"]],
    ["a directory that is misspelt, and no such file in it", "scr/x/y.ts", ["src"]],
    ["a slash behind it", "srx/", ["src"]],
    ["three of many, the most alike first", "test.ts", ["test1.ts", "test2.ts", "test3.ts"]],
    ["nothing like it", "src/quite-another.ts", undefined],
    ["only the extension is the same", "src/lions.ts", undefined],
    ["what the policy hides", ".envv", undefined],
  ])("%s: %s", async (_what, path, nearest) => {
    expect(await nearTo(path)).toEqual(nearest);
  });

  it("the words say so, and so does every other way to ask", async () => {
    const session = memoryWorkspace(FILES).session();
    const path = "src/serve.ts";
    const asking: readonly (() => Promise<unknown>)[] = [
      () => session.read(path),
      () => session.readBytes(path),
      () => session.change([{ path, proof: { by: "sha256", sha256: "0".repeat(64) }, action: "edit" }], () => [null]),
      () => session.delete(path, { proof: { by: "waived" } }),
    ];
    for (const ask of asking)
      expect((await refusalOf(ask())).failure.message).toBe("src/serve.ts does not exist. Did you mean src/server.ts?");
    expect((await refusalOf(session.read("test.ts"))).failure.message).toBe(
      "test.ts does not exist. Did you mean test1.ts, test2.ts or test3.ts?",
    );
  });

  it("is refused once, and the journal repeats no names", async () => {
    const workspace = memoryWorkspace(FILES);
    await refusalOf(workspace.session().delete("src/serve.ts", { proof: { by: "waived" } }));
    expect(await all(workspace.log())).toMatchObject([{ outcome: "refused", message: "src/serve.ts does not exist." }]);
  });

  it.each([
    ["denies the file", { deniedPaths: ["src/server.ts"] }],
    ["denies the directory", { deniedPaths: ["src"], allowedPaths: ["**"] }],
    ["allows other paths only", { allowedPaths: ["src/serve.ts", "docs/**"] }],
    ["allows reading, and no listing", { allowedActions: ["read"] }],
  ] as const)("names nothing where the policy %s", async (_what, policy) => {
    expect(await nearTo("src/serve.ts", { policy })).toBeUndefined();
  });
});

describe("names near a missing one on a real disk", () => {
  const near = async (root: string, path: string, options?: WorkspaceOptions): Promise<unknown> => {
    const session = workspaceIn(root, options).session();
    return (await refusalOf(session.read(path))).failure.details?.nearest;
  };

  it("through a link: where it leads", async () => {
    const root = directoryWith(FILES);
    symlinkSync("src", join(root, "link"));
    expect(await near(root, "link/serve.ts")).toEqual(["src/server.ts"]);
  });

  it("behind a misspelt directory, nothing of a link that leads to what the policy hides", async () => {
    const root = directoryWith({ ...FILES, "secret/key.ts": "" });
    symlinkSync("../secret/key.ts", join(root, "src", "link.ts"));
    expect(await near(root, "scr/link.ts")).toEqual(["src/link.ts"]);
    expect(await near(root, "scr/link.ts", { policy: { deniedPaths: ["secret/**"] } })).toEqual(["src"]);
  });

  it("behind a misspelt directory, nothing that would break the line", async () => {
    const root = directoryWith({ ...FILES, "src/a\u202eb.ts": "" });
    expect(await near(root, "scr/a\u202eb.ts")).toEqual(["src"]);
  });

  it("names that would break the line are not repeated", async () => {
    const root = tempDir();
    writeFileSync(join(root, "server\n.ts"), "");
    writeFileSync(join(root, "server\u202e.ts"), "");
    expect(await near(root, "server.ts")).toBeUndefined();
  });

  it("looks at so many names and no more", async () => {
    const files = Object.fromEntries(Array.from({ length: 3000 }, (_, n) => [`many/name-${n}.txt`, ""]));
    const backend = memory({ files });
    let looked = 0;
    const counted: Backend = {
      ...backend,
      async *list(directory) {
        for await (const entry of backend.list(directory)) {
          looked++;
          yield entry;
        }
      },
    };
    const refusal = await refusalOf(new Workspace(counted).session().read("many/nmae-7.txt"));
    expect(refusal.failure.details?.nearest).toContain("many/name-7.txt");
    expect(looked).toBeLessThanOrEqual(2001);
  });
});
