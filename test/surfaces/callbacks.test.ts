// Functions that a program hands over: those that give promises are waited for, and what they reject with ends no process.
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { Refusal } from "../../src/core/failure.ts";
import { collectGarbage } from "../../src/kernel/history/retention.ts";
import { createFile, editFile } from "../../src/kernel/verbs.ts";
import { grep } from "../../src/search/index.ts";
import { telling } from "../../src/search/progress.ts";
import { call } from "../../src/surfaces/call.ts";
import { defineTool } from "../../src/surfaces/tool.ts";
import { textAt } from "../../src/testing/assertions.ts";
import { serveWaiting } from "../serve/http-support.ts";
import { memoryWorkspace } from "../support/workspace.ts";

const unhandled: unknown[] = [];
const note = (reason: unknown): void => void unhandled.push(reason);

beforeEach(() => void process.on("unhandledRejection", note));
afterEach(async () => {
  await turn();
  process.off("unhandledRejection", note);
  expect(unhandled.splice(0)).toEqual([]);
});

const turn = (ms = 20): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
const later = async (): Promise<never> => {
  await turn(1);
  throw new Error("too late");
};

async function opened() {
  const workspace = memoryWorkspace({});
  const session = workspace.session();
  await createFile(session, "a.txt", "one\n");
  return { workspace, session };
}

describe("editFile", () => {
  it("waits for an edit that takes its time", async () => {
    const { workspace, session } = await opened();
    await editFile(session, "a.txt", async ({ body }) => {
      await turn(1);
      return [{ start: 0, end: body.length, text: "two\n" }];
    });
    expect(await textAt(workspace.backend, "a.txt")).toBe("two\n");
  });

  it("fails as the edit does, and changes nothing", async () => {
    const { workspace, session } = await opened();
    await expect(editFile(session, "a.txt", later)).rejects.toThrow("too late");
    const refused = editFile(session, "a.txt", async () => {
      throw new Refusal("no_change", "Nothing to do.");
    });
    await expect(refused).rejects.toMatchObject({ kind: "no_change" });
    expect(await textAt(workspace.backend, "a.txt")).toBe("one\n");
  });

  it("does not wait longer than the call may take, and hears nothing of what comes later", async () => {
    const { session } = await opened();
    const slow = async (): Promise<never> => {
      await turn(60);
      throw new Error("after the deadline");
    };
    await expect(editFile(session, "a.txt", slow, { deadlineMs: 20 })).rejects.toMatchObject({ kind: "timeout" });
    await turn(80);
  });

  it.each([[undefined], [null], ["text"], [[null]], [[{ start: "0", end: 1, text: "" }]], [[{ start: 0, end: 1 }]]])(
    "refuses %j in words",
    async (given) => {
      const { workspace, session } = await opened();
      for (const edit of [() => given, async () => given])
        await expect(editFile(session, "a.txt", edit as never)).rejects.toMatchObject({
          kind: "invalid_input",
          message: expect.stringContaining("An edit must give a list of { start, end, text }."),
        });
      expect(await textAt(workspace.backend, "a.txt")).toBe("one\n");
    },
  );
});

describe("other functions that are handed over", () => {
  it("an edit or an inspection of session.change that rejects is the rejection of the call", async () => {
    const { session } = await opened();
    const targets = [{ path: "a.txt", action: "edit", proof: { by: "waived" } }] as const;
    await expect(session.change(targets, later)).rejects.toThrow("too late");
    await expect(session.change(targets, () => [{ body: "two\n" }], { inspect: later })).rejects.toThrow("too late");
  });

  it("a listener to progress that rejects ends no search, and fails a walk through the history", async () => {
    const { workspace, session } = await opened();
    const work = async (): Promise<string> => {
      await turn(600);
      return "done";
    };
    expect(await telling(later, { files: undefined, matches: 0 }, () => "", work)).toBe("done");
    expect(
      (await grep(session, { pattern: "one", root: "" as never, limit: 5 }, { progress: later })).hits,
    ).toHaveLength(1);
    await expect(collectGarbage(workspace, { maxBytes: 5 }, Date.now(), { progress: later })).rejects.toThrow(
      "too late",
    );
  });

  it("a tool whose run or text rejects fails the call", async () => {
    const { session } = await opened();
    const tool = (parts: object) =>
      defineTool({
        name: "own",
        title: "Own",
        description: "An own tool.",
        effect: "read",
        actions: ["read"],
        input: z.object({}),
        output: z.object({}),
        refused: "Nothing was done.",
        run: async () => ({}),
        text: () => "text",
        ...parts,
      });
    for (const parts of [{ run: later }, { text: later }]) {
      const surface = { name: "own", title: "Own", guidance: "", tools: [tool(parts)] };
      await expect(call(session, surface, "own", {})).rejects.toThrow("too late");
    }
  });

  it("listeners to requests and errors over HTTP that throw or reject end no server", async () => {
    const now = (): never => {
      throw new Error("at once");
    };
    for (const listener of [later, now]) {
      const { serving } = await serveWaiting({ onRequest: listener, onError: listener });
      for (let n = 0; n < 2; n++) expect((await fetch(serving.url, { method: "POST" })).status).toBe(401);
    }
  });
});
