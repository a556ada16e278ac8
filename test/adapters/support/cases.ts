// What every framework must pass on: one scripted conversation after another, led through the framework itself.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openWorkspace, type Session, type Workspace } from "stet";
import type { Approve } from "stet/adapters";
import { compact, defineTool, type Surface, workspace as surface, tracked, z } from "stet/surfaces";
import { describe, expect, it } from "vitest";
import { directoryWith } from "../../support/workspace.ts";

/** What every framework is tested for, where it applies: the columns of the second table of docs/adapters.md. */
export const CASES = {
  loop: "reads, edits, is refused when stale, repairs, and all of it can be undone",
  picture: "shows a picture as a picture",
  cancelled: "takes a call back: what it would have changed stays as it is",
  wrong: "tells what is wrong with a call, and does nothing",
  parallel: "makes parallel calls, and loses none of them",
  agents: "keeps apart what two agents have seen",
};

/** A call as a model asks for it. */
export type Call = readonly [tool: string, input: unknown];

/** What a model receives of a call. `error`: undefined where the framework has no mark for it. */
export interface Received {
  readonly id: string;
  readonly text: string;
  readonly images: number;
  readonly error: boolean | undefined;
}

/** The next calls, all at once, after the results of those before; none ends the conversation. */
export type Script = (received: readonly Received[]) => readonly Call[];

export interface Conversation {
  readonly session: Session;
  readonly surface: Surface;
  readonly script: Script;
  readonly signal?: AbortSignal;
  readonly approve?: Approve;
}

export interface Offered {
  readonly name: string;
  readonly description: string;
  readonly schema: Record<string, unknown>;
}

/** All that the model received, and the tools as it was given them. */
export type Converse = (
  given: Conversation,
) => Promise<{ readonly received: readonly Received[]; readonly offered: readonly Offered[] }>;

/** A picture of one pixel. */
export const PIXEL = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

export interface Traits {
  /** The framework marks a refusal as an error. */
  readonly marksErrors: boolean;
  /** Ids of calls reach the tool. */
  readonly ids: boolean;
}

export function describeFramework(name: string, converse: Converse, { marksErrors, ids }: Traits): void {
  describe(`${name}: tools`, () => {
    it(CASES.loop, async () => {
      const { root, workspace } = open({ "a.txt": "one\ntwo\n" });
      const [session, other] = [workspace.session({ agent: name }), workspace.session({ agent: "other" })];
      const script: Script = (received) => {
        if (received.length === 0) return [["read_file", { path: "a.txt" }]];
        if (received.length === 1) return [edit(shaIn(received[0]!), "one", "ONE")];
        if (received.length === 2) {
          writeFileSync(join(root, "a.txt"), "ONE\nZWEI\n");
          return [edit(shaIn(received[1]!), "two", "TWO")];
        }
        if (received.length === 3) return [["read_file", { path: "a.txt" }]];
        return received.length === 4 ? [edit(shaIn(received[3]!), "ZWEI", "TWO")] : [];
      };
      const { received, offered } = await converse({ session, surface, script });
      expect(received.map(({ text }) => text)).toEqual([
        expect.stringContaining("one"),
        expect.stringMatching(/^Edited a\.txt/),
        expect.stringMatching(/^Edit rejected, file unchanged\..*changed[\s\S]*\+ZWEI/),
        expect.stringContaining("ZWEI"),
        expect.stringMatching(/^Edited a\.txt/),
      ]);
      expect(received.map(({ error }) => error)).toEqual(
        [false, false, true, false, false].map((error) => (marksErrors ? error : undefined)),
      );
      expect(readFileSync(join(root, "a.txt"), "utf8")).toBe("ONE\nTWO\n");
      const entries = await all(workspace.log({ session: session.id }));
      expect(entries.map(({ tool, outcome }) => `${tool} ${outcome}`)).toEqual([
        "edit_file applied",
        expect.stringMatching(/^\S+ external$/),
        "edit_file refused",
        "edit_file applied",
      ]);
      if (ids) expect(entries.at(-1)?.call).toBe(received.at(-1)?.id);
      await other.undo({ entry: entries.at(-1)!.seq });
      expect(readFileSync(join(root, "a.txt"), "utf8")).toBe("ONE\nZWEI\n");
      const read = offered.find((tool) => tool.name === "read_file")!;
      expect(read.description).toMatch(/\w/);
      expect(read.schema).toMatchObject({ type: "object", properties: { path: { type: "string" } } });
      await workspace.close();
    });

    it(CASES.picture, async () => {
      const { root, workspace } = open({});
      writeFileSync(join(root, "dot.png"), PIXEL);
      const script: Script = ({ length }) => (length === 0 ? [["Read", { file_path: "dot.png" }]] : []);
      const { received } = await converse({ session: workspace.session(), surface: compact, script });
      expect(received).toMatchObject([{ text: expect.stringContaining("1 × 1 pixels"), images: 1 }]);
      expect(received[0]!.text).not.toContain("iVBOR");
      await workspace.close();
    });

    it(CASES.wrong, async () => {
      const { workspace } = open({});
      const wrong: Call[] = [["read_file", { path: 7, startLine: "x" }]];
      const script: Script = ({ length }) => (length === 0 ? wrong : []);
      const { received } = await converse({ session: workspace.session(), surface, script });
      expect(received[0]!.text).toMatch(/^Nothing was read\. .*`startLine`/);
      expect(received[0]!.error).toBe(marksErrors ? true : undefined);
      await workspace.close();
    });

    it(CASES.parallel, async () => {
      const names = Array.from({ length: 6 }, (_, n) => `n${n}.txt`);
      const { root, workspace } = open({});
      const script: Script = ({ length }) =>
        length === 0 ? names.map((path) => ["create_file", { path, content: path }]) : [];
      const { received } = await converse({ session: workspace.session(), surface, script });
      expect(received).toHaveLength(names.length);
      expect(new Set(received.map(({ id }) => id)).size).toBe(names.length);
      expect(names.map((path) => readFileSync(join(root, path), "utf8"))).toEqual(names);
      await workspace.close();
    });

    it(CASES.agents, async () => {
      const { root, workspace } = open({ "a.txt": "one\n" });
      const [one, two] = [workspace.session({ agent: "one" }), workspace.session({ agent: "two" })];
      const reads: Script = ({ length }) => (length === 0 ? [["Read", { file_path: "a.txt" }]] : []);
      const writes: Script = ({ length }) =>
        length === 0 ? [["Write", { file_path: "a.txt", content: "new\n" }]] : [];
      await converse({ session: one, surface: tracked, script: reads });
      const { received } = await converse({ session: two, surface: tracked, script: writes });
      expect(received[0]!.text).toBe("refusing to overwrite a.txt: Read it first");
      expect(readFileSync(join(root, "a.txt"), "utf8")).toBe("one\n");
      await converse({ session: one, surface: tracked, script: writes });
      expect(readFileSync(join(root, "a.txt"), "utf8")).toBe("new\n");
      await workspace.close();
    });

    it(CASES.cancelled, async () => {
      const { root, workspace } = open({});
      const controller = new AbortController();
      let seen: boolean | undefined;
      const slow = defineTool({
        name: "slow",
        title: "Slow",
        description: "Takes its time.",
        effect: "write",
        actions: ["create"],
        input: z.object({}),
        output: z.object({}),
        refused: "Nothing was made.",
        async run({ session, call }) {
          controller.abort();
          await new Promise((resolve) => setImmediate(resolve));
          seen = call.signal?.aborted;
          await session.create("late.txt", "late", call);
          return {};
        },
        text: () => "made",
      });
      const slowly = { name: "slow", title: "Slow", guidance: "", tools: [slow] };
      const script: Script = ({ length }) => (length === 0 ? [["slow", {}]] : []);
      const { signal } = controller;
      await converse({ session: workspace.session(), surface: slowly, script, signal }).catch(() => {});
      await expect.poll(() => seen).toBe(true);
      await workspace.close();
      expect(existsSync(join(root, "late.txt"))).toBe(false);
    });
  });
}

export function open(files: Record<string, string>): { readonly root: string; readonly workspace: Workspace } {
  const root = directoryWith(files);
  return { root, workspace: openWorkspace({ root, durability: "fast" }) };
}

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const item of items) found.push(item);
  return found;
}

function edit(expectedSha256: string, oldText: string, newText: string): Call {
  return ["edit_file", { path: "a.txt", expectedSha256, edits: [{ oldText, newText }] }];
}

/** The last one in it: that of an edit's answer is the one after it. */
function shaIn({ text }: Received): string {
  return text.match(/[0-9a-f]{64}/g)?.at(-1) ?? "";
}
