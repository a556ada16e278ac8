// Mastra's agent with the mock model of the AI SDK.
import { Agent } from "@mastra/core/agent";
import { mastraTools } from "stet/adapters/mastra";
import { workspace as surface } from "stet/surfaces";
import { expect, it } from "vitest";
import { mockModel } from "./models/ai.ts";
import { type Call, type Converse, describeFramework, open, type Received } from "./support/cases.ts";
import { runsExample } from "./support/example.ts";

const converse: Converse = async ({ session, surface, script, signal, approve }) => {
  const { model, heard } = mockModel(script);
  const tools = mastraTools(session, surface, { approve });
  const agent = new Agent({ id: "scripted", name: "scripted", instructions: "", model: model as never, tools });
  await agent.generate("go", { maxSteps: 9, ...(signal && { abortSignal: signal }) });
  return heard();
};

describeFramework("mastra", converse, { marksErrors: true, ids: true });

it("asks before what takes something away, and then waits", async () => {
  const { workspace } = open({ "a.txt": "one\n" });
  const session = workspace.session();
  const script = ({ length }: readonly Received[]): Call[] =>
    length === 0 ? [["delete_file", { path: "a.txt" }]] : [];
  await converse({ session, surface, script, approve: ["destroy"] }).catch(() => {});
  expect((await session.read("a.txt")).body).toBe("one\n");
  await workspace.close();
});

it("the example does it, and takes it back", () => runsExample("mastra"));
