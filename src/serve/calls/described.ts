// What a model is told: the tools as MCP describes them, made once, since over HTTP a server is built for every request; and the instructions.
import type { Tool as McpTool } from "@modelcontextprotocol/server";
import type { OwnerAction, Policy } from "../../kernel/policy/policy.ts";
import { guidanceOf, offeredTools } from "../../surfaces/offer.ts";
import { inWords } from "../../surfaces/refusal.ts";
import { dataSchema, inputSchema, type JsonSchema, outputSchema } from "../../surfaces/schema.ts";
import type { AnyTool } from "../../surfaces/tool.ts";
import { isAlone } from "../workspaces/lookup.ts";
import { canChoose, type ServeOptions } from "../workspaces/named.ts";
import type { SessionScope } from "../workspaces/sessions.ts";

export interface Described {
  /** In the order of the surface; what any of the workspaces offers. */
  readonly tools: readonly AnyTool[];
  /** As `tools/list` answers. */
  readonly listed: McpTool[];
}

/** What any of the workspaces offers, in the order of the surface. */
export function offeredIn({
  surface,
  served,
  lookup,
}: Pick<ServeOptions, "surface" | "served" | "lookup">): readonly AnyTool[] {
  if (lookup !== undefined) return offeredTools(surface, lookup.policy);
  const permits = (action: OwnerAction): boolean =>
    served.length === 0 || served.some(({ workspace }) => workspace.policy.permits(action));
  return offeredTools(surface, { permits });
}

/** Callers are of many kinds, but most kinds are offered the same. */
const SHARED = new WeakMap<Policy, Map<string, Described>>();

export function describeTools(options: ServeOptions): Described {
  const { lookup, surface, results } = options;
  if (lookup === undefined) return describe(options);
  const known = SHARED.get(lookup.policy) ?? new Map<string, Described>();
  SHARED.set(lookup.policy, known);
  const kind = JSON.stringify([surface.name, results, isAlone(options)]);
  const described = known.get(kind) ?? describe(options);
  known.set(kind, described);
  return described;
}

function describe(options: ServeOptions): Described {
  const { surface, served, results, lookup } = options;
  const tools = offeredIn(options);
  const names = lookup === undefined ? { enum: served.map(({ name }) => name) } : {};
  const choosable = canChoose({ surface, served });
  const about = `The workspace that paths are relative to${choosable ? "; not needed with absolute paths" : ""}`;
  const workspace = { type: "string", ...names, description: about };
  const first: Fields = isAlone(options) || (lookup === undefined && served.length === 0) ? {} : { workspace };
  const required = choosable ? [] : Object.keys(first);
  const listed = tools.map((tool) => {
    const shown = described(tool, { first, required });
    if (tool.result !== undefined) return { ...shown, outputSchema: dataSchema(tool) as McpTool["inputSchema"] };
    return results === "structured" ? { ...shown, outputSchema: structured(tool, first) } : shown;
  });
  return { tools, listed };
}

type Fields = Readonly<Record<string, JsonSchema>>;

/** Before the tool's own fields, and those of them that must be there. */
interface Before {
  readonly first: Fields;
  readonly required: readonly string[];
}

function described(tool: AnyTool, before: Before): McpTool {
  const { name, title, description, effect, additive } = tool;
  return {
    name,
    title,
    description,
    inputSchema: withFields(tool, inputSchema(tool), before) as McpTool["inputSchema"],
    annotations: {
      readOnlyHint: effect === "read",
      // MCP calls an update destructive unless it only adds, also where what it replaces can be recalled
      destructiveHint: effect !== "read" && additive !== true,
      ...(effect === "read" && { idempotentHint: true }),
      openWorldHint: false,
    },
  };
}

/** For programs: the tool's data, and the words that a model would get. */
function structured(tool: AnyTool, more: Fields): McpTool["inputSchema"] {
  const text = { type: "string", description: "The same in words, warnings included" };
  return withFields(tool, outputSchema(tool), {
    first: { text, ...more },
    required: ["text"],
  }) as McpTool["inputSchema"];
}

function withFields(tool: AnyTool, schema: JsonSchema, { first, required }: Before): JsonSchema {
  const own = (schema.properties ?? {}) as Fields;
  const taken = Object.keys(first).find((name) => Object.hasOwn(own, name));
  if (taken !== undefined) throw new Error(`The tool ${tool.name} has a field ${taken} of its own.`);
  const names = [...required, ...((schema.required ?? []) as string[])];
  return {
    ...schema,
    properties: { ...first, ...own },
    ...(names.length > 0 && { required: names }),
  };
}

/** The surface's guidance, what "read" counts for, and the names of the workspaces. */
export function instructionsFor(options: ServeOptions, scope: SessionScope): string {
  const { surface, nothing, lookup } = options;
  if (nothing !== undefined) return inWords(nothing.failure, "");
  const workspaces = lookup === undefined ? aboutWorkspaces(options) : isAlone(options) ? "" : BY_NAME;
  const guidance = guidanceOf(surface, offeredIn(options));
  return [guidance, scope.words, workspaces].filter((part) => part !== "").join("\n\n");
}

const BY_NAME =
  "There are several workspaces, which are not listed: every call names the one that you were told of as `workspace`; paths are relative to it.";

function aboutWorkspaces({ surface, served }: ServeOptions): string {
  const names = served.map(({ name }) => JSON.stringify(name)).join(", ");
  if (served.length === 1) return "";
  return served.length === 0
    ? "The workspaces are the directories that your client has open. If there are several, every tool takes `workspace`."
    : `There are ${served.length} workspaces: ${names}. ${choosing({ surface, served })}`;
}

function choosing(offered: Pick<ServeOptions, "surface" | "served">): string {
  if (canChoose(offered))
    return "A call names one as `workspace`, which relative paths are relative to, or has absolute paths, which choose their own.";
  return "Every call names one as `workspace`; paths are relative to it.";
}
