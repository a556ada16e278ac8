// deepagents over stet at its limits: only what it hands on to the model counts as shown.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createFilesystemMiddleware } from "deepagents";
import { createAgent } from "langchain";
import { openWorkspace, type Session } from "stet";
import { deepagentsBackend } from "stet/adapters/deepagents";
import { describe, expect, it } from "vitest";
import { directoryWith } from "../support/workspace.ts";
import { answersIn, read, type Steps, scripted, work, write } from "./models/deepagents.ts";
import { open } from "./support/cases.ts";

describe("bytes that are no text", () => {
  const LIMIT = 10_485_760;
  // deepagents counts three bytes at a time: the limit itself is beyond it.
  it.each([
    [LIMIT - 1, true],
    [LIMIT, false],
    [LIMIT + 1, false],
  ])("%d of them count as shown: %s", async (size, shown) => {
    const root = directoryWith({});
    const limits = { maxFileBytes: 50_000_000 };
    for (const policy of size > LIMIT ? [limits] : [undefined, limits]) {
      const workspace = openWorkspace({ root, durability: "fast", ...(policy && { policy }) });
      writeFileSync(join(root, "d.bin"), Buffer.alloc(size));
      const [got, written] = await work(workspace.session(), [read("/d.bin"), write("/d.bin", "gone\n")]);
      expect(got).toMatch(shown ? /^\[file\]$/ : /^Error: file too large to read/);
      expect(written).toMatch(shown ? /^Successfully wrote/ : /^Nothing was written\. .*Read it first/);
      expect(readFileSync(join(root, "d.bin"))).toHaveLength(shown ? 5 : size);
      await workspace.close();
    }
  });
});

describe("a lower limit of deepagents", () => {
  const body = Array.from({ length: 900 }, (_, n) => `line ${n + 1} of a file that is long enough\n`).join("");

  /** With the middleware itself, which alone takes the option. */
  async function limited(session: Session, steps: Steps, tokens: number, pageBytes: number): Promise<string[]> {
    const { model, messages } = scripted(steps);
    const backend = deepagentsBackend(session, { pageBytes });
    const middleware = [createFilesystemMiddleware({ backend, toolTokenLimitBeforeEvict: tokens })];
    await createAgent({ model, tools: [], middleware }).invoke(
      { messages: [{ role: "user", content: "go" }] },
      { recursionLimit: 99 },
    );
    return answersIn(messages());
  }

  it.each([500, 2000])(
    "of %d tokens cuts nothing off that counts as shown, with pages of twice that",
    async (tokens) => {
      const { root, workspace } = open({ "a.txt": body, "long.txt": `${"x".repeat(9 * tokens)}\n` });
      writeFileSync(join(root, "stray.txt"), Buffer.alloc(9 * tokens, Buffer.from("\xe9\xe8\xea\n", "latin1")));
      const session = workspace.session();
      const steps = ["/a.txt", "/long.txt", "/stray.txt"].flatMap((path) => [
        read(path, { limit: 5000 }),
        write(path, "gone\n"),
      ]);
      const answers = await limited(session, steps, tokens, 2 * tokens);
      for (const n of [1, 3, 5]) expect(answers[n]).toMatch(/^Nothing was written\. .*never shown/);
      for (const n of [0, 4]) expect(answers[n]).not.toContain("truncated");
      expect(readFileSync(join(root, "a.txt"), "utf8")).toBe(body);
      const [, end] = /lines 1-(\d+) of 900/.exec(answers[0]!) ?? [];
      const neverShown = new RegExp(`lines ${Number(end) + 1}-900 were never shown`);
      expect(answers[1]).toMatch(neverShown);
      expect(answers[0]).toContain(`line ${end} of`);
      await workspace.close();
    },
  );

  it("wants pages that hold something, and no other options", async () => {
    const { workspace } = open({});
    const session = workspace.session();
    expect(() => deepagentsBackend(session, { pageBytes: 999 })).toThrow("pageBytes must be a whole number from 1000");
    expect(() => deepagentsBackend(session, { pagesBytes: 2000 } as never)).toThrow("Did you mean pageBytes?");
    await workspace.close();
  });
});

it("a read of no lines shows none", async () => {
  const { root, workspace } = open({ "a.txt": "the only line, never shown\n" });
  for (const limit of [0, -3]) {
    const [got, written] = await work(workspace.session(), [read("/a.txt", { limit }), write("/a.txt", "gone\n")]);
    expect(got).toMatch(/^Error: Nothing was read\. limit is 0, so there is nothing to show\./);
    expect(written).toMatch(/^Nothing was written\. .*Read it first/);
  }
  expect(readFileSync(join(root, "a.txt"), "utf8")).toBe("the only line, never shown\n");
  await workspace.close();
});
