// A refused call has no data: whoever takes it all the same hears the refusal, and nobody else notices.
import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import { Refusal } from "../../src/core/failure.ts";
import { bind, call, workspace as surface } from "../../src/surfaces/index.ts";
import { memoryWorkspace } from "../support/workspace.ts";

const session = memoryWorkspace({ a: "1\n" }).session();
const tool = bind(surface, session);

describe("the data of a refused call", () => {
  it("is the refusal, in the words that would help", async () => {
    const taking = async () => (await tool.read_file({ path: "server.ts" })).data.sha256;
    const refusal = await taking().catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(Refusal);
    const result = await tool.read_file({ path: "server.ts" });
    expect(result.ok).toBe(false);
    if (result.ok) return;
    expect((refusal as Refusal).failure).toEqual(result.error);
    expect((refusal as Refusal).message).toContain("server.ts does not exist. Check the path");
  });

  it("is the refusal of a tool that does not exist, too", async () => {
    const result = await call(session, surface, "no_such_tool", {});
    expect(() => result.data).toThrow('There is no tool "no_such_tool". Use one of');
  });

  it("is seen by nobody who does not ask for it", async () => {
    const result = await tool.read_file({ path: "no" });
    expect(Object.keys(result)).toEqual(["ok", "error", "text"]);
    expect(JSON.parse(JSON.stringify(result))).toEqual({ ...result });
    expect(structuredClone(result)).toEqual(result);
    expect(inspect(result)).not.toContain("data");
  });

  it("is there when the call succeeded", async () => {
    expect((await tool.read_file({ path: "a" })).data.content).toBe("1\n");
  });
});
