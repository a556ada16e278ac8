// The AI SDK with its mock model.
import { generateText, isStepCount } from "ai";
import { aiTools } from "stet/adapters/ai";
import { workspace as surface } from "stet/surfaces";
import { expect, it } from "vitest";
import { mockModel } from "./models/ai.ts";
import { type Converse, describeFramework, open, type Received } from "./support/cases.ts";
import { runsExample } from "./support/example.ts";

const converse: Converse = async ({ session, surface, script, signal, approve }) => {
  const { model, heard } = mockModel(script);
  const tools = aiTools(session, surface, { approve });
  await generateText({ model, tools, prompt: "go", stopWhen: isStepCount(9), ...(signal && { abortSignal: signal }) });
  return heard();
};

describeFramework("ai", converse, { marksErrors: true, ids: true });

it("asks before what takes something away, and then waits", async () => {
  const { workspace } = open({ "a.txt": "one\n" });
  const session = workspace.session();
  const script = ({ length }: readonly Received[]) =>
    length === 0 ? [["delete_file", { path: "a.txt" }] as const] : [];
  await converse({ session, surface, script, approve: ["destroy"] });
  expect((await session.read("a.txt")).body).toBe("one\n");
  await converse({ session, surface, script, approve: ["write"] });
  expect((await session.read("a.txt")).body).toBe("one\n");
  await converse({ session, surface, script, approve: ["read"] });
  await expect(session.read("a.txt")).rejects.toThrow("does not exist");
  await workspace.close();
});

it("the example does it, and takes it back", () => runsExample("ai"));
