// A tool, its parameters and what it gives back, as `@openai/agents` types them.
import type { AdaptedTool, ToolRun } from "../tools.ts";

/** A JSON Schema as `@openai/agents` types it. */
export interface OpenaiParameters<Additional extends boolean = boolean> {
  /** All tools take an object. */
  readonly type: "object";
  /** One for each parameter. */
  // biome-ignore lint/suspicious/noExplicitAny: their type of a schema
  readonly properties: Record<string, Record<string, any>>;
  /** In strict mode all of them. */
  readonly required: string[];
  /** In strict mode none are. */
  readonly additionalProperties: Additional;
}

export function parametersOf(tool: AdaptedTool, strict: boolean): OpenaiParameters<true> | OpenaiParameters<false> {
  const { properties = {}, required = [] } = (strict ? tool.strict() : tool.schema) as Partial<OpenaiParameters>;
  return { type: "object", properties, required, additionalProperties: !strict } as OpenaiParameters<false>;
}

/** What the model receives of a result: its words, or with pictures a list of parts. */
export type OpenaiOutput =
  | string
  | ({ type: "text"; text: string } | { type: "image"; image: { data: string; mediaType: string } })[];

export function outputOf({ text, images }: ToolRun): OpenaiOutput {
  if (images.length === 0) return text;
  const pictures = images.map(({ base64: data, mimeType: mediaType }) => {
    return { type: "image" as const, image: { data, mediaType } };
  });
  return [{ type: "text", text }, ...pictures];
}

interface Details {
  readonly toolCall?: { readonly callId?: string } | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** One tool, as `@openai/agents` takes it. */
export interface OpenaiTool {
  /** A tool that the program runs. */
  readonly type: "function";
  /** What models call it. */
  readonly name: string;
  /** For models. */
  readonly description: string;
  /** Whether the model must follow the schema. */
  readonly strict: boolean;
  /** What the model sees. */
  readonly parameters: OpenaiParameters<true> | OpenaiParameters<false>;
  /** Whether a person is asked first. */
  readonly needsApproval: (context: unknown, input: unknown) => Promise<boolean>;
  /** Always there: a policy takes tools away before. */
  readonly isEnabled: () => Promise<boolean>;
  /** Makes the call. A refusal is its answer, since the API has no mark for one. */
  readonly invoke: (context: unknown, input: string, details?: Details) => Promise<OpenaiOutput>;
}
