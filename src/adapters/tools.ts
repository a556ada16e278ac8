// The common shape of a tool for an agent framework: every adapter is a map over this list.
import { setMaxListeners } from "node:events";
import { strictOptions, validate } from "../api/options.ts";
import type { Cancellation } from "../core/deadline.ts";
import { JOURNAL_LIMITS } from "../core/limits.ts";
import type { Session } from "../kernel/session.ts";
import { callOffered } from "../surfaces/call.ts";
import { guidanceOf, offeredTools } from "../surfaces/offer.ts";
import { inputSchema, type JsonSchema, strictSchema } from "../surfaces/schema.ts";
import type { AnyTool, Surface, ToolImage } from "../surfaces/tool.ts";
import { type Approve, type Effect, isAsked, refuseUnknown } from "./parts/approvals.ts";

export type { Approve, ApproveCall, Effect } from "./parts/approvals.ts";

/** Options of all adapters. */
export interface ToolsOptions {
  /** Which calls a person is asked about first. None, unless given: what is changed can be undone. */
  readonly approve?: Approve | undefined;
  /** Only these tools of the surface, by name. */
  readonly only?: readonly string[] | undefined;
}

export const TOOLS_OPTIONS = strictOptions<ToolsOptions>({ approve: true, only: true });

/** What a framework says about one call. */
export interface RunOptions {
  /** Its id of the call, for the journal. */
  readonly id?: string | null | undefined;
  /** Aborted: the call is given up, unless its change is being committed already. */
  readonly signal?: Cancellation | null | undefined;
}

/** What a call came to. */
export interface ToolRun {
  /** Whether it was done. False: it was refused, and nothing was changed. */
  readonly ok: boolean;
  /** For the model: the result in words, or what did not happen, why, and what to do next. */
  readonly text: string;
  /** Pictures in the result. */
  readonly images: readonly ToolImage[];
  /** What the caller should know although it was done; in `text` too. */
  readonly warnings: readonly string[];
  /** For programs: the fields of the result without the bytes of its pictures, or those of the failure. */
  readonly data: unknown;
}

/** One tool of a surface, bound to a session. */
export interface AdaptedTool {
  /** What models call it. */
  readonly name: string;
  /** For people. */
  readonly title: string;
  /** For models: what it does, and when to use it. */
  readonly description: string;
  /** The most it can do. */
  readonly effect: Effect;
  /** Whether some of its calls only read, although it can do more. */
  readonly mayOnlyRead: boolean;
  /** The parameters, as a JSON Schema. */
  readonly schema: JsonSchema;
  /** The same for APIs with a strict mode. */
  strict(): JsonSchema;
  /** Whether a person is asked before this call. */
  needsApproval(input: unknown): Promise<boolean>;
  /** Makes a call with what the model sent, an object or its JSON. Throws for nothing that a model can send. */
  run(input: unknown, options?: RunOptions): Promise<ToolRun>;
}

/** The tools of a surface that the policy of the workspace offers, each bound to the session. */
export function toolsOf(session: Session, surface: Surface, options: ToolsOptions = {}): readonly AdaptedTool[] {
  validate(options, TOOLS_OPTIONS);
  refuseUnknown(options, surface);
  const { only } = options;
  return offeredTools(surface, session.workspace.policy)
    .filter(({ name }) => only === undefined || only.includes(name))
    .map((tool) => adapted(session, surface, tool, options));
}

/** How the offered tools are meant to be used: belongs into the system prompt. */
export function instructionsOf(session: Session, surface: Surface): string {
  return guidanceOf(surface, offeredTools(surface, session.workspace.policy));
}

function adapted(session: Session, surface: Surface, tool: AnyTool, { approve = [] }: ToolsOptions): AdaptedTool {
  const { name, title, description, effect } = tool;
  const schema = inputSchema(tool);
  return {
    name,
    title,
    description,
    effect,
    mayOnlyRead: effect === "read" || tool.reads !== undefined,
    schema,
    strict: () => strictSchema(schema),
    needsApproval: (input) => isAsked(approve, tool, input),
    async run(input, { id, signal } = {}) {
      // The journal takes no longer ones, and a call shall not fail for that.
      const named = typeof id === "string" && { call: id.slice(0, JOURNAL_LIMITS.nameChars) };
      // Frameworks give one signal to all calls of a run, and Node.js would warn of so many listeners.
      if (signal instanceof EventTarget) setMaxListeners(0, signal);
      const call = { ...named, ...(signal && { signal }) };
      const result = await callOffered(session, surface, tool, input, call);
      if (!result.ok) return { ok: false, text: result.text, images: [], warnings: [], data: result.error };
      const { images, rest } = tool.images?.(result.data) ?? { images: [], rest: result.data };
      return { ok: true, text: result.text, images, warnings: result.warnings ?? [], data: rest };
    },
  };
}
