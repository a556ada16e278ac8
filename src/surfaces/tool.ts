// The tool contract: one definition per tool, from which schemas, calls, bindings and transports follow.
import type { z } from "zod";
import type { Failure } from "../core/failure.ts";
import type { OwnerAction, Policy } from "../kernel/policy/policy.ts";
import type { CallOptions, Session } from "../kernel/session.ts";
import type { Dialect } from "./refusal.ts";

/**
 * As much of a schema as its type must show. To compare whole ones of two copies of zod takes the compiler minutes;
 * that a schema is not of the copy that stet works with is told by its version at once. `z` of this package always is.
 */
interface Schema<Output> {
  readonly _zod: { readonly version: z.core.$ZodType["_zod"]["version"]; readonly output: Output };
  parse(data: unknown): Output;
  safeParse(data: unknown): { readonly success: boolean; readonly error?: unknown };
}

interface ObjectSchema extends Schema<Record<string, unknown>> {
  readonly shape: object;
}

/** What a tool works with during one call. */
export interface ToolContext {
  /** Of the agent that called. */
  readonly session: Session;
  /** Tool name, call id, signal and deadline, to be handed on to the session. */
  readonly call: CallOptions;
  /** Where several workspaces are served together, the directories of all. */
  readonly roots?: readonly string[] | undefined;
  /** Something the caller should know although the call succeeded. */
  warn(...messages: readonly string[]): void;
}

/** One tool: from it follow its schema, calls by models, typed calls and the MCP tool. */
export interface Tool<Name extends string = string, Input extends ObjectSchema = ObjectSchema, Data = unknown> {
  /** What models call it. */
  readonly name: Name;
  /** For people. */
  readonly title: string;
  /** For models: what it does, and when to use it. Names no other tool: a policy may take that one away. */
  readonly description: string;
  /** The most it can do. read: changes nothing · write: what it replaces can be recalled · destroy: takes something away. */
  readonly effect: "read" | "write" | "destroy";
  /** Of a tool that changes something: it only puts what was not there, and never replaces, removes or moves what is. */
  readonly additive?: true;
  /** The tool is offered only when the policy allows one of these actions: a read-only one never allows those that change. */
  readonly actions: readonly OwnerAction[];
  /** The tool as a policy leaves it, when one of its actions is allowed and others are not. */
  offeredFor?(policy: Pick<Policy, "permits">): AnyTool;
  /** Of a tool that can change something: whether a call with this input does not, so that its refusal is no attempt. */
  reads?(input: z.output<Input>): boolean;
  /** The parameters, as an object schema of `z`. */
  readonly input: Input;
  /** Accepted and validated, but left out of the schema that models see. */
  readonly hidden?: readonly string[];
  /** What models see, where more is taken than they are told of. */
  readonly shown?: ObjectSchema;
  /** Other names that models use for a parameter. */
  readonly aliases?: Readonly<Record<string, string>>;
  /** A call as the schema has it, where models also write it in another form; before names and types are looked at. */
  inForm?(given: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>>;
  /** What `run` gives, as a schema of `z`. */
  readonly output: Schema<Data>;
  /** Time for one call, where it is not that of the workspace. */
  readonly deadlineMs?: number;
  /** The first sentence of every refusal: what did not happen. */
  readonly refused: string;
  /** Does it. Throws a Refusal to say no. */
  run(context: ToolContext, input: z.output<Input>): Promise<NoInfer<Data>>;
  /** The result in words, for a model. */
  text(data: Data, input: z.output<Input>): string;
  /** Of a tool that programs know from another server: its whole result over MCP, always, structured after `output` alone. */
  result?(data: Data, text: string): FixedResult;
  /** About no workspace in particular: asked of the first one. */
  readonly anywhere?: true;
  /** Pictures in the result, and the result without their bytes: for transports with their own way of sending pictures. */
  images?(data: Data): { readonly images: readonly ToolImage[]; readonly rest: Data };
}

/** As MCP has it. */
export interface FixedResult {
  /** Content blocks. */
  readonly content: readonly { readonly type: string }[];
  /** After the schema of the tool's output. */
  readonly structuredContent: Readonly<Record<string, unknown>>;
}

/** A picture in a result. */
export interface ToolImage {
  /** Such as image/png. */
  readonly mimeType: string;
  /** Its bytes. */
  readonly base64: string;
}

/** Keeps the literal name and the types of input and data. */
export function defineTool<const Name extends string, Input extends ObjectSchema, Data>(
  tool: Tool<Name, Input, Data>,
): Tool<Name, Input, Data> {
  return tool;
}

/** A tool of any input and output. */
// biome-ignore lint/suspicious/noExplicitAny: a list of tools of different inputs has no other type
export type AnyTool = Tool<string, any, any>;

/** A set of tools in one dialect. */
export interface Surface<Tools extends readonly AnyTool[] = readonly AnyTool[]> {
  /** As it is chosen by. */
  readonly name: string;
  /** For people. */
  readonly title: string;
  /** For the system prompt: how these tools are meant to be used. */
  readonly guidance: string;
  /** The same where a policy leaves only these tools; undefined = `guidance` holds for any of them. */
  readonly guidanceFor?: (offered: ReadonlySet<string>) => string;
  /** All of them; a policy may offer fewer. */
  readonly tools: Tools;
  /** No tool reaches the files of the workspace, so nothing that serves the surface may offer them another way. */
  readonly storesElsewhere?: boolean;
  /** What it says of refusals where that is not what the catalogue says. */
  readonly words?: Dialect;
  /** Those that it was joined of. */
  readonly parts?: readonly Surface[];
}

declare const calls: unique symbol;

/** For the compiler alone: the tools of a surface as an interface, with words that an editor shows. */
export interface Typed<Calls> {
  readonly [calls]?: Calls;
}

/** What every tool's data has beside its own: what the caller should know although the call succeeded. */
type WithWarnings<Data> = Data extends object ? Data & { readonly warnings: readonly string[] } : Data;

/** Taking `data` of a failure throws its refusal, so `(await tool.read_file(…)).data.sha256` may be written without a check. */
export type ToolResult<Data> =
  | {
      /** Whether it was done. */
      readonly ok: true;
      /** What the tool gave, for programs. */
      readonly data: WithWarnings<Data>;
      /** The same, or the refusal, in words for a model. */
      readonly text: string;
      /** What the caller should know although it was done; in `text` too. */
      readonly warnings?: readonly string[];
    }
  | {
      readonly ok: false;
      /** Why it was refused, for programs. */
      readonly error: Failure;
      readonly text: string;
      readonly data: never;
    };
