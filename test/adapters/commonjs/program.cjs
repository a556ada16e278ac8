// A program in CommonJS: it loads stet and the SDKs by `require`, and prints what models received.
const { mkdtempSync, writeFileSync } = require("node:fs");
const { join } = require("node:path");
const { default: Anthropic } = require("@anthropic-ai/sdk");
const { Agent: OpenaiAgent, Runner, Usage } = require("@openai/agents");
const { openWorkspace } = require("stet");
const { anthropicTextEditor } = require("stet/adapters/anthropic");
const { openaiTools } = require("stet/adapters/openai");
const { tracked } = require("stet/surfaces");

const root = mkdtempSync(join(process.argv[2], "files-"));
writeFileSync(join(root, "a.txt"), "one\n");
const session = openWorkspace({ root }).session();

async function anthropic() {
  const sent = [];
  const input = { command: "str_replace", path: "/a.txt", old_str: "one", new_str: "2" };
  const call = { type: "tool_use", id: "t1", name: "str_replace_based_edit_tool", input };
  const fetch = async (_url, { body }) => {
    sent.push(JSON.parse(body));
    const [content, stop_reason] =
      sent.length === 1 ? [[call], "tool_use"] : [[{ type: "text", text: "done" }], "end_turn"];
    const usage = { input_tokens: 1, output_tokens: 1 };
    return Response.json({ id: "m", type: "message", role: "assistant", model: "m", content, stop_reason, usage });
  };
  const messages = [{ role: "user", content: "go" }];
  const tools = [anthropicTextEditor(session)];
  await new Anthropic({ apiKey: "none", fetch }).beta.messages.toolRunner({
    model: "m",
    max_tokens: 9,
    messages,
    tools,
  });
  return sent.at(-1).messages.at(-1).content[0].content;
}

/** Arguments that are no JSON are answered by the SDK, and no person is asked. */
async function openai() {
  let turn = 0;
  const model = {
    async getResponse() {
      const call = { type: "function_call", callId: "c1", name: "Read", arguments: "{bad", status: "completed" };
      const text = [{ type: "output_text", text: "done" }];
      const said = { type: "message", role: "assistant", status: "completed", content: text };
      return { usage: new Usage(), output: [turn++ === 0 ? call : said] };
    },
  };
  const agent = new OpenaiAgent({ name: "a", model, tools: openaiTools(session, tracked) });
  const { interruptions, finalOutput } = await new Runner({ tracingDisabled: true }).run(agent, "go");
  return [interruptions.length, finalOutput];
}

(async () => {
  console.log(JSON.stringify({ anthropic: await anthropic(), openai: await openai() }));
})();
