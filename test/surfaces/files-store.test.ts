// The surface `files`: options that are not what they have to be, and stores that stay below their limit.
import { Refusal } from "stet";
import { type FilesOptions, files } from "stet/surfaces";
import { describe, expect, it } from "vitest";
import { agentWith } from "../support/agent.ts";

/** What the model reads of each command. */
function emptyStore(options: FilesOptions) {
  const agent = agentWith(files({ env: {}, ...options }), {});
  return async (params: Record<string, unknown>): Promise<string> => {
    const { ok, text } = await agent.call("files", { params });
    return ok ? text : `REFUSED ${text}`;
  };
}

/** Every text differs. */
function text(n: number, bytes: number): string {
  return `text number ${n} `.padEnd(bytes, `${n}.`);
}

describe("options of files", () => {
  it.each([
    ["mode", "nope"],
    ["maxBytes", Number.NaN],
    ["maxBytes", 0],
    ["storeBytes", Number.NaN],
    ["timeoutMs", "1"],
    ["readOnly", "no"],
    ["typed", 1],
    ["root", 5],
    ["env", null],
  ])("%s: %s is refused in words", (key, value) => {
    let refused: unknown;
    try {
      files({ env: {}, [key]: value } as FilesOptions);
    } catch (error) {
      refused = error;
    }
    expect(refused).toBeInstanceOf(Refusal);
    const { kind, message, suggestedAction } = (refused as Refusal).failure;
    expect([kind, message]).toEqual(["invalid_input", expect.stringMatching(new RegExp(`^${key} must be .+, not .+`))]);
    expect(suggestedAction).toBe("Correct it, or leave it out.");
  });

  it("that are as they should be are taken", () => {
    expect(files({ env: {}, mode: "sandbox", maxBytes: 5, storeBytes: 1e6, timeoutMs: 0.5, readOnly: true }).name).toBe(
      "files",
    );
    expect(() => files({ env: { STET_FS_STORE_BYTES: "lots" } })).toThrow("STET_FS_STORE_BYTES is");
  });
});

describe("the stores of a workspace", () => {
  const KB = 1024;

  it("refuse what would exceed their limit, with the limit and what to do, and take more after a delete", async () => {
    const run = emptyStore({ storeBytes: 100 * KB });
    const write = (n: number) => run({ command: "write", file_path: `f${n}.txt`, content: text(n, 10 * KB) });
    const answers: string[] = [];
    for (let n = 0; n < 10; n++) answers.push(await write(n));
    const refused = answers.findIndex((answer) => answer.startsWith("REFUSED"));
    // 90 KB of files and their entries fit, 100 KB do not.
    expect(refused).toBe(9);
    expect(answers[refused]).toMatch(
      /total limit: 10\d,\d{3} bytes > 102,400 bytes\. Delete files .* increase STET_FS_STORE_BYTES/,
    );
    expect(await run({ command: "read", file_path: "f8.txt" })).toContain("text number 8");
    expect(await run({ command: "read", file_path: "f9.txt" })).toContain("not found");
    await run({ command: "delete", file_path: "f0.txt" });
    expect(await write(11)).toBe("Updated file f11.txt");
  });

  it("count what all instances hold together", async () => {
    const run = emptyStore({ storeBytes: 100 * KB });
    const answers: string[] = [];
    for (let n = 0; n < 11; n++)
      answers.push(
        await run({ command: "write", file_path: "same.txt", content: text(n, 10 * KB), instance: `i${n}` }),
      );
    expect(answers.filter((answer) => answer.startsWith("REFUSED"))).toHaveLength(2);
  });

  it("let old versions go: a file can be written however often, and what it has now is there", async () => {
    const run = emptyStore({ storeBytes: 100 * KB });
    for (let n = 0; n < 40; n++)
      expect(await run({ command: "write", file_path: "a.txt", content: text(n, 10 * KB) })).toBe("Updated file a.txt");
    expect(await run({ command: "read", file_path: "a.txt" })).toContain("text number 39");
  });

  it("are not filled by edits, deletes and refusals of small files", async () => {
    const run = emptyStore({ storeBytes: 120 * KB });
    await run({ command: "write", file_path: "a.txt", content: "0" });
    for (let n = 0; n < 60; n++) {
      const edit = { command: "edit", file_path: "a.txt", old_string: `${n}`, new_string: `${n + 1}` };
      expect(await run(edit)).toBe("Updated file a.txt");
    }
    expect(await run({ command: "read", file_path: "a.txt" })).toContain("60");
  });

  it("lose nothing to refused calls", async () => {
    const run = emptyStore({ storeBytes: 100 * KB, maxBytes: 50 * KB });
    await run({ command: "write", file_path: "a.txt", content: "a" });
    const refused = [
      { command: "write", file_path: "large.txt", content: text(0, 60 * KB) },
      { command: "write", file_path: "../out.txt", content: "a" },
      { command: "edit", file_path: "a.txt", old_string: "b", new_string: "c" },
      { command: "edit", file_path: "none.txt", old_string: "b", new_string: "c" },
      { command: "read", file_path: "none.txt", content: "a" },
    ];
    for (let n = 0; n < 30; n++) {
      for (const params of refused) expect(await run(params)).toMatch(/^REFUSED/);
      expect(await run({ command: "delete", file_path: "none.txt" })).toMatch(/did not exist/);
    }
    for (const n of [1, 2]) {
      const write = { command: "write", file_path: `${n}.txt`, content: text(n, 48 * KB) };
      expect(await run(write)).toBe(`Updated file ${n}.txt`);
    }
  });

  it("have no directory without a file in it", async () => {
    const run = emptyStore({});
    const write = (path: string) => run({ command: "write", file_path: path, content: "a" });
    await write("a/b/c/1.txt");
    await write("a/2.txt");
    await run({ command: "delete", file_path: "a/b/c/1.txt" });
    expect(await run({ command: "read", file_path: "a/b" })).toContain("File 'a/b' not found");
    expect(await write("a/b")).toBe("Updated file a/b");
    expect(await write("a")).toMatch(/^REFUSED .*'a' is a directory/);
    for (const file_path of ["a/b", "a/2.txt"]) await run({ command: "delete", file_path });
    expect(await write("a")).toBe("Updated file a");
    expect(await run({ command: "ls" })).toBe("a");
  });

  it("are a thousand at most", async () => {
    const run = emptyStore({});
    for (let n = 0; n < 1000; n++) await run({ command: "ls", instance: `i${n}` });
    expect(await run({ command: "ls", instance: "one more" })).toContain("There are 1000 stores already");
    expect(await run({ command: "ls", instance: "i5" })).toBe("");
  });
});
