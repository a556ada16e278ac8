// A surface as an object of typed functions, bound to one session.
import type { z } from "zod";
import type { CallOptions, Session } from "../kernel/session.ts";
import { call } from "./call.ts";
import type { AnyTool, Surface, Tool, ToolResult } from "./tool.ts";

type DataOf<T> = T extends Tool<string, infer _Input, infer Data> ? Data : never;

/** The tools of a surface as typed functions. */
export type Bound<S extends Surface> = {
  readonly [T in S["tools"][number] as T["name"]]: (
    input: z.input<T["input"]>,
    options?: Omit<CallOptions, "tool">,
  ) => Promise<ToolResult<DataOf<T>>>;
};

/** `const tool = bind(surface, session); await tool.read_file({ path })`. */
export function bind<S extends Surface>(surface: S, session: Session): Bound<S> {
  const functions = surface.tools.map(({ name }: AnyTool) => [
    name,
    (input: unknown, options?: Omit<CallOptions, "tool">) => call(session, surface, name, input, options),
  ]);
  return Object.fromEntries(functions) as Bound<S>;
}
