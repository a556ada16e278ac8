// As much as is used of packages that are optional peers: stet is built without them. Their own types hold where they are installed.
declare module "@anthropic-ai/sdk/lib/tools/ToolError" {
  export class ToolError extends Error {
    constructor(content: string);
  }
}

declare module "@langchain/core/tools" {
  export class DynamicStructuredTool {
    constructor(fields: {
      name: string;
      description: string;
      schema: object;
      func: (input: unknown, manager: unknown, config?: object) => Promise<unknown>;
    });
  }
}

declare module "@langchain/core/messages" {
  export class ToolMessage {
    constructor(fields: object);
  }
}

declare module "@openai/agents" {
  export function tool(options: {
    name: string;
    description: string;
    parameters: object;
    needsApproval: boolean;
    execute: () => string;
  }): { needsApproval: unknown };
}
