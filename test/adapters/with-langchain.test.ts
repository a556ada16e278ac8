// LangChain's agent with a scripted model.
import { ToolMessage } from "@langchain/core/messages";
import { convertToOpenAITool } from "@langchain/core/utils/function_calling";
import { createAgent, humanInTheLoopMiddleware } from "langchain";
import { langchainApprovals, langchainTools } from "stet/adapters/langchain";
import { files, workspace as surface } from "stet/surfaces";
import { expect, it } from "vitest";
import { ScriptedChatModel } from "./models/langchain.ts";
import { type Call, type Converse, describeFramework, open, type Received } from "./support/cases.ts";
import { runsExample } from "./support/example.ts";

const converse: Converse = async ({ session, surface, script, signal, approve }) => {
  let received: Received[] = [];
  const model = new ScriptedChatModel((messages) => {
    received = messages.flatMap((message) => (ToolMessage.isInstance(message) ? [resultOf(message)] : []));
    return script(received);
  });
  const tools = langchainTools(session, surface);
  const interruptOn = langchainApprovals(session, surface, Array.isArray(approve) ? approve : []);
  const middleware = approve === undefined ? [] : [humanInTheLoopMiddleware({ interruptOn } as never)];
  // Its own types do not fit under exactOptionalPropertyTypes.
  const agent = createAgent({ model, tools, middleware: middleware as unknown as [] });
  await agent.invoke({ messages: [{ role: "user", content: "go" }] }, { ...(signal && { signal }) });
  const offered = tools.map((tool) => {
    const { name, description = "", parameters = {} } = convertToOpenAITool(tool).function;
    return { name, description, schema: parameters };
  });
  return { received, offered };
};

function resultOf({ tool_call_id: id, status, content }: ToolMessage): Received {
  const error = status === "error";
  if (typeof content === "string") return { id, text: content, images: 0, error };
  const text = content.map((part) => ("text" in part ? String(part.text) : "")).join("");
  return { id, text, images: content.filter(({ type }) => type === "image_url").length, error };
}

describeFramework("langchain", converse, { marksErrors: true, ids: true });

it("asks before what takes something away, and then waits", async () => {
  const { workspace } = open({ "a.txt": "one\n" });
  const session = workspace.session();
  const script = ({ length }: readonly Received[]): Call[] =>
    length === 0 ? [["delete_file", { path: "a.txt" }]] : [];
  await converse({ session, surface, script, approve: ["destroy"] }).catch(() => {});
  expect((await session.read("a.txt")).body).toBe("one\n");
  expect(langchainApprovals(session, surface, ["destroy"])).toMatchObject({ read_file: false, delete_file: true });
  await workspace.close();
});

it("takes no wish to be asked where it could not be kept, and asks about all changes when told so", async () => {
  const { workspace } = open({});
  const session = workspace.session();
  const asked = { approve: ["destroy"] };
  expect(() => langchainTools(session, surface, asked as never)).toThrow(/Give it to langchainApprovals/);
  // @ts-expect-error: tools of LangChain do not ask
  expect(() => langchainTools(session, surface, { approve: ["destroy"] })).toThrow("has no effect here");
  const approvals = langchainApprovals(session, surface, ["write"]);
  expect(approvals).toMatchObject({ read_file: false, create_file: true, delete_file: true });
  const one = files({ mode: "sandbox" });
  const wishes = [["read"], ["write"], []] as const;
  expect(wishes.map((approve) => Object.values(langchainApprovals(session, one, approve)))).toEqual([
    [true],
    [true],
    [false],
  ]);
  expect(() => langchainApprovals(session, surface, ["delete"] as never)).toThrow("is no effect");
  await workspace.close();
});

it("has the data for programs as the artifact, and gives words alone without an agent", async () => {
  const { workspace } = open({ "a.txt": "one\n" });
  const read = langchainTools(workspace.session(), surface, { only: ["read_file"] })[0];
  const message = await read.invoke({ type: "tool_call", id: "c", name: "read_file", args: { path: "a.txt" } });
  expect(message).toMatchObject({ status: "success", artifact: { path: "a.txt", content: "one\n" } });
  expect(await read.invoke({ path: "a.txt" })).toMatch(/^Read a\.txt/);
  await workspace.close();
});

it("the example does it, and takes it back", () => runsExample("langchain"));
