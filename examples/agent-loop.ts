// The loop of an agent: offers the tools to a model, makes the calls that it asks for, hands back the results.
import type { Session } from "stet";
import { call, inputSchema, offeredTools, workspace as surface } from "stet/surfaces";

interface Asked {
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
}

/** `ask` sends the tools and the newest results to your model, and gives back the calls it wants to be made. */
export async function letWork(session: Session, ask: (tools: object[], results: object[]) => Promise<Asked[]>) {
  const tools = offeredTools(surface, session.workspace.policy).map((tool) => ({
    name: tool.name,
    description: tool.description,
    input_schema: inputSchema(tool), // strictSchema(inputSchema(tool)) where the API has a strict mode
  }));
  let asked = await ask(tools, []);
  while (asked.length > 0) {
    const results = asked.map(async ({ id, name, input }) => {
      const { ok, text } = await call(session, surface, name, input);
      return { type: "tool_result", tool_use_id: id, content: text, is_error: !ok };
    });
    asked = await ask(tools, await Promise.all(results));
  }
}
