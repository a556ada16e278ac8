// What the command line adds to a policy: read-only from outside.
import type { PolicyInput } from "../../kernel/policy/policy.ts";

/** Flags and environment decide when they speak; otherwise every place in the file that says read-only is believed. */
export function readOnlyOr(policy: PolicyInput, outside: boolean | undefined, inFile: boolean): PolicyInput {
  if (outside === undefined && !inFile) return policy;
  const { readOnly, readonly, ...rest } = policy;
  return { ...rest, readOnly: outside ?? true };
}
