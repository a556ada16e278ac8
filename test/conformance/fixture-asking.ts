// Fixture tools that ask the client something: as a request of 2025, or as a result that wants input (2026).
import {
  acceptedContent,
  CLIENT_CAPABILITIES_META_KEY,
  type InputRequests,
  inputRequired,
  inputResponse,
  type McpServer,
  type RequestStateCodec,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { z } from "zod";
import { textResult } from "./fixture-content.ts";

export function addAskingTools(server: McpServer, codec: RequestStateCodec): void {
  const tool = (name: string, description: string, run: (context: ServerContext) => unknown) =>
    server.registerTool(name, { description, inputSchema: z.object({}) }, (_input, context) => run(context) as never);

  addRequestsOf2025(server);

  tool("test_input_required_result_elicitation", "Asks for a name", ({ mcpReq }) => {
    const given = acceptedContent(mcpReq.inputResponses, "user_name", z.object({ name: z.string() }));
    if (given === undefined) return inputRequired({ inputRequests: { user_name: ASK_NAME } });
    return textResult(`Hello, ${given.name}!`);
  });
  tool("test_input_required_result_sampling", "Asks a model", ({ mcpReq }) => {
    const answer = inputResponse(mcpReq.inputResponses, "capital_question");
    const question = sample("What is the capital of France?", 100);
    if (answer.kind !== "sampling") return inputRequired({ inputRequests: { capital_question: question } });
    return textResult(JSON.stringify(answer.result.content));
  });
  tool("test_input_required_result_list_roots", "Asks for the roots", ({ mcpReq }) => {
    const answer = inputResponse(mcpReq.inputResponses, "client_roots");
    if (answer.kind !== "roots") return inputRequired({ inputRequests: { client_roots: inputRequired.listRoots() } });
    return textResult(answer.roots.map(({ uri }) => uri).join(", "));
  });
  for (const name of ["test_input_required_result_request_state", "test_input_required_result_tampered_state"])
    tool(name, "Asks for a confirmation, with state", async ({ mcpReq }) => {
      const state = mcpReq.requestState<{ asked: true }>();
      if (state?.asked !== true || acceptedContent(mcpReq.inputResponses, "confirm") === undefined)
        return inputRequired({ inputRequests: { confirm: CONFIRM }, requestState: await codec.mint({ asked: true }) });
      return textResult("state-ok");
    });
  tool("test_input_required_result_multiple_inputs", "Asks for three things", async ({ mcpReq }) => {
    const all = ["user_name", "greeting", "client_roots"];
    if (all.every((key) => inputResponse(mcpReq.inputResponses, key).kind !== "missing"))
      return textResult("All there");
    const inputRequests: InputRequests = {
      user_name: ASK_NAME,
      greeting: sample("Generate a greeting", 50),
      client_roots: inputRequired.listRoots(),
    };
    return inputRequired({ inputRequests, requestState: await codec.mint({ asked: true }) });
  });
  tool("test_input_required_result_multi_round", "Asks twice", async ({ mcpReq }) => {
    const step1 = acceptedContent<{ name: string }>(mcpReq.inputResponses, "step1");
    const step2 = acceptedContent<{ color: string }>(mcpReq.inputResponses, "step2");
    const { name } = mcpReq.requestState<{ name?: string }>() ?? {};
    if (step2 !== undefined && name !== undefined) return textResult(`${name} likes ${step2.color}`);
    const [inputRequests, state] =
      step1 === undefined
        ? [{ step1: ask("Step 1: What is your name?", "name") }, {}]
        : [{ step2: ask("Step 2: What is your favorite color?", "color") }, { name: step1.name }];
    return inputRequired({ inputRequests: inputRequests as InputRequests, requestState: await codec.mint(state) });
  });
  tool("test_input_required_result_capabilities", "Asks only what the client can answer", (context) => {
    const can = declaredBy(context);
    const inputRequests: InputRequests = {
      ...(can.sampling !== undefined && { question: sample("What is the capital of France?", 100) }),
      ...(can.elicitation !== undefined && { user_name: ASK_NAME }),
    };
    return Object.keys(inputRequests).length === 0 ? textResult("Nothing to ask") : inputRequired({ inputRequests });
  });
  tool("test_missing_capability", "Asks a model, whoever calls", () =>
    inputRequired({ inputRequests: { question: sample("What is the capital of France?", 100) } }),
  );
  tool("test_streaming_elicitation", "Asks for a name", () =>
    inputRequired({ inputRequests: { user_name: ASK_NAME } }),
  );
}

/** On the stream of the call itself: the client's other stream may not be open yet, and what is sent there is then lost. */
function onStreamOf({ id }: ServerContext["mcpReq"]) {
  return { relatedRequestId: id };
}

/** Asked while the call runs: only a session with a stream can carry these. */
function addRequestsOf2025(server: McpServer): void {
  const asking = (name: string, properties: object) =>
    server.registerTool(
      name,
      { description: "Asks with a form", inputSchema: z.object({}) },
      async (_input, { mcpReq }) =>
        elicited(
          await mcpReq.elicitInput(
            { message: "Please fill in", requestedSchema: form(properties) },
            onStreamOf(mcpReq),
          ),
        ),
    );
  server.registerTool(
    "test_sampling",
    { description: "Asks a model", inputSchema: z.object({ prompt: z.string() }) },
    async ({ prompt }, { mcpReq }) => {
      const messages = [{ role: "user" as const, content: { type: "text" as const, text: prompt } }];
      const { content } = await mcpReq.requestSampling({ messages, maxTokens: 100 }, onStreamOf(mcpReq));
      return textResult(`LLM response: ${JSON.stringify(content)}`);
    },
  );
  server.registerTool(
    "test_elicitation",
    { description: "Asks the user", inputSchema: z.object({ message: z.string() }) },
    async ({ message }, { mcpReq }) => {
      const text = { type: "string", description: "User's response" };
      const requestedSchema = form({ username: text, email: text }, ["username", "email"]);
      return elicited(await mcpReq.elicitInput({ message, requestedSchema }, onStreamOf(mcpReq)));
    },
  );
  asking("test_elicitation_sep1034_defaults", {
    name: { type: "string", default: "John Doe" },
    age: { type: "integer", default: 30 },
    score: { type: "number", default: 95.5 },
    status: { type: "string", enum: ["active", "inactive", "pending"], default: "active" },
    verified: { type: "boolean", default: true },
  });
  const names = ["option1", "option2", "option3"];
  const titled = (what: string) =>
    ["First", "Second", "Third"].map((rank, index) => ({ const: `value${index + 1}`, title: `${rank} ${what}` }));
  asking("test_elicitation_sep1330_enums", {
    untitledSingle: { type: "string", enum: names },
    titledSingle: { type: "string", oneOf: titled("Option") },
    legacyEnum: {
      type: "string",
      enum: ["opt1", "opt2", "opt3"],
      enumNames: ["Option One", "Option Two", "Option Three"],
    },
    untitledMulti: { type: "array", items: { type: "string", enum: names } },
    titledMulti: { type: "array", items: { anyOf: titled("Choice") } },
  });
}

function elicited({ action, content }: { action: string; content?: unknown }) {
  return textResult(`Elicitation completed: action=${action}, content=${JSON.stringify(content ?? {})}`);
}

function form(properties: object, required?: string[]) {
  return { type: "object" as const, properties: properties as never, ...(required !== undefined && { required }) };
}

export function ask(message: string, key: string) {
  return inputRequired.elicit({ message, requestedSchema: form({ [key]: { type: "string" } }, [key]) });
}

const ASK_NAME = ask("What is your name?", "name");
const CONFIRM = inputRequired.elicit({
  message: "Please confirm",
  requestedSchema: form({ ok: { type: "boolean" } }, ["ok"]),
});

function sample(text: string, maxTokens: number) {
  return inputRequired.createMessage({ messages: [{ role: "user", content: { type: "text", text } }], maxTokens });
}

/** As a 2026 client declares with every request. */
function declaredBy({ mcpReq }: ServerContext): Readonly<Record<string, unknown>> {
  const declared = (mcpReq.envelope as Record<string, unknown> | undefined)?.[CLIENT_CAPABILITIES_META_KEY];
  return (declared ?? {}) as Readonly<Record<string, unknown>>;
}
