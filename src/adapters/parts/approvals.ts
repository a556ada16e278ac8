// Approvals: the calls that a person is asked about first, and refusals of wishes that cannot be kept.
import { Refusal } from "../../core/failure.ts";
import { shown } from "../../core/printable.ts";
import { parseInput } from "../../surfaces/input/input.ts";
import type { AnyTool, Surface } from "../../surfaces/tool.ts";

/** The most that a tool can do. read: changes nothing · write: what it replaces can be recalled · destroy: takes something away. */
export type Effect = AnyTool["effect"];

/** A function is given the input as the tool takes it: under the names of its schema, with paths as the model wrote them. */
export type ApproveCall = (
  tool: { readonly name: string; readonly effect: Effect },
  input: Readonly<Record<string, unknown>>,
) => boolean | Promise<boolean>;

/** Which calls a person is asked about first: those with one of these effects, or those that a function picks. */
export type Approve = readonly Effect[] | ApproveCall;

const EFFECTS: readonly unknown[] = ["read", "write", "destroy"] satisfies Effect[];

/** What takes something away changes files too: who asks about `write` asks about it as well. */
function asksAbout(approve: readonly Effect[], effect: Effect): boolean {
  return approve.includes(effect) || (effect === "destroy" && approve.includes("write"));
}

/** Whether all calls of this tool are asked about, or none; undefined: that depends on the call. */
export function asksAlways(
  approve: Approve | undefined,
  { effect, mayOnlyRead }: { readonly effect: Effect; readonly mayOnlyRead: boolean },
): boolean | undefined {
  if (typeof approve === "function") return undefined;
  const asks = asksAbout(approve ?? [], effect);
  return mayOnlyRead && asksAbout(approve ?? [], "read") !== asks ? undefined : asks;
}

/** A call that cannot be made is not asked about: the tool says what is wrong with it, and does nothing. */
export async function isAsked(approve: Approve, tool: AnyTool, input: unknown): Promise<boolean> {
  let given: Readonly<Record<string, unknown>>;
  try {
    given = parseInput(tool, input);
  } catch (error) {
    if (error instanceof Refusal) return false;
    throw error;
  }
  const { name, effect } = tool;
  if (typeof approve === "function") return approve({ name, effect }, given);
  return asksAbout(approve, tool.reads?.(given) === true ? "read" : effect);
}

interface Wishes {
  readonly approve?: unknown;
  readonly only?: unknown;
}

/** What would be ignored in silence is refused where the tools are made. */
export function refuseUnknown({ approve, only }: Wishes, { name: surface, tools }: Surface): void {
  if (approve !== undefined && typeof approve !== "function" && !Array.isArray(approve))
    throw wrong("`approve` is neither a list of effects nor a function.", NEXT);
  for (const effect of Array.isArray(approve) ? approve : [])
    if (!EFFECTS.includes(effect)) throw wrong(`${shown(String(effect))} in \`approve\` is no effect.`, NEXT);
  if (only !== undefined && !Array.isArray(only)) throw wrong("`only` is no list.", "Give names of tools.");
  const names = tools.map(({ name }) => name);
  for (const name of Array.isArray(only) ? only : [])
    if (!names.includes(name))
      throw wrong(`${shown(String(name))} in \`only\` is no tool of ${surface}.`, `Use some of ${names.join(", ")}.`);
}

/** For frameworks that ask by the name of a tool. */
export function refuseFunction(approve: unknown): void {
  if (Array.isArray(approve)) return;
  throw wrong("`approve` is no list of effects: this framework asks by tool, not by call.", EFFECTS_ONLY);
}

/** For frameworks whose tools cannot ask. */
export function refuseApprove(options: object | undefined, next: string): void {
  if ((options as Wishes | undefined)?.approve === undefined) return;
  throw wrong("`approve` has no effect here: tools of this framework do not ask.", next);
}

const EFFECTS_ONLY = "Give some of read, write and destroy.";
const NEXT = "Give some of read, write and destroy, or a function.";

function wrong(why: string, next: string): Refusal {
  return new Refusal("invalid_input", why, { next });
}
