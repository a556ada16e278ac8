// A surface as an object of typed functions, bound to one session.
import type { z } from "zod";
import type { CallOptions, Session } from "../kernel/session.ts";
import { call } from "./call.ts";
import type { AnyTool, Surface, Tool, ToolResult, Typed } from "./tool.ts";

type DataOf<T> = T extends Tool<string, infer _Input, infer Data> ? Data : never;

/** What a call of a tool may say about itself: the tool has its name already. */
export type CallingOptions = Omit<CallOptions, "tool">;

type Named<Tools extends readonly AnyTool[], Name> = Extract<Tools[number], { readonly name: Name }>;

/** What the tool of this name takes. */
export type InputOf<Tools extends readonly AnyTool[], Name> = z.input<Named<Tools, Name>["input"]>;

/** What a call of the tool of this name gives. */
export type AnswerOf<Tools extends readonly AnyTool[], Name> = Promise<ToolResult<DataOf<Named<Tools, Name>>>>;

/** The tools of any surface as functions; `Typed` ones have words too. */
export type Functions<S extends Surface> = {
  readonly [Name in S["tools"][number]["name"]]: (
    input: InputOf<S["tools"], Name>,
    options?: CallingOptions,
  ) => AnswerOf<S["tools"], Name>;
};

/** The tools of a surface as typed functions. */
export type Bound<S extends Surface> =
  S extends Typed<infer Calls> ? (unknown extends Calls ? Functions<S> : NonNullable<Calls>) : Functions<S>;

/** `const tool = bind(surface, session); await tool.read_file({ path })`. */
export function bind<S extends Surface>(surface: S, session: Session): Bound<S> {
  const functions = surface.tools.map(({ name }: AnyTool) => [
    name,
    (input: unknown, options?: CallingOptions) => call(session, surface, name, input, options),
  ]);
  return Object.fromEntries(functions) as Bound<S>;
}
