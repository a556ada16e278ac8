// Workspaces that are found by name when a call asks for one: nothing lists them, and what is not the caller's is as if it were not there.
import { Refusal } from "../../core/failure.ts";
import type { Policy } from "../../kernel/policy/policy.ts";
import type { NamedWorkspace, ServeOptions } from "./named.ts";

/** What one kind of caller can find. */
export interface Lookup {
  /** That of every workspace, as far as these callers go; one object for all to whom the same tools are offered. */
  readonly policy: Policy;
  /** The only workspace that they reach: it need not be named. */
  readonly only?: string | undefined;
  /** Those that their tokens name in full, whether they are there or not: they know of them. */
  readonly names?: readonly string[];
  /** Undefined where there is none that is theirs. `changes`: for a tool that changes files, which may make it. */
  find(name: string, changes: boolean): Promise<NamedWorkspace | undefined>;
}

/** The one that a call names. */
export async function found({ only, find }: Lookup, name: unknown, changes: boolean): Promise<NamedWorkspace> {
  const asked = name ?? only;
  if (asked === undefined)
    throw new Refusal("invalid_input", "`workspace` is missing.", {
      next: "Pass the name of the workspace that you mean as `workspace`.",
    });
  const served = typeof asked === "string" ? await find(asked, changes) : undefined;
  if (served !== undefined) return served;
  throw new Refusal("not_found", `There is no workspace ${JSON.stringify(asked).slice(0, 250)} for you here.`, {
    next: "Check its name with the one who gave you the task.",
  });
}

/** Whether calls need not say which workspace they mean. */
export function isAlone({ served, lookup }: Pick<ServeOptions, "served" | "lookup">): boolean {
  return lookup === undefined ? served.length === 1 : lookup.only !== undefined;
}

/** Those that may be listed: of workspaces that are found by name, only one that is alone. */
export async function listable({ served, lookup }: ServeOptions): Promise<readonly NamedWorkspace[]> {
  if (lookup === undefined) return served;
  const only = lookup.only === undefined ? undefined : await lookup.find(lookup.only, false);
  return only === undefined ? [] : [only];
}
