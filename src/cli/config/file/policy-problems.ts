// Everything that is wrong with a policy as it was written, not only the first that the policy itself refuses.
import { Refusal } from "../../../core/failure.ts";
import { POLICY_ALIASES } from "../../../kernel/policy/input.ts";
import { definePolicy, type PolicyInput } from "../../../kernel/policy/policy.ts";

type Key = (string | number)[];

export interface Problem {
  /** From the policy. */
  readonly key: Key;
  readonly what: string;
}

/** Each costs another look at all of them; a longer list would not be read. */
const MAX_PROBLEMS = 20;

/** What was refused is taken out of the way, and the rest looked at again. */
export function problemsWith(policy: PolicyInput, root: string | undefined): readonly Problem[] {
  const problems: Problem[] = [];
  const told = new Set<string>();
  let rest: PolicyInput = policy;
  for (;;) {
    const refused = refusalOf(rest, root);
    const name = refused?.details?.key;
    if (refused === undefined || typeof name !== "string" || told.has(name)) return problems;
    told.add(name);
    const key = keyOf(name, policy);
    problems.push({ key, what: refused.message.replace(/\.$/, "") });
    if (problems.length === MAX_PROBLEMS) return problems;
    rest = without(rest, key);
  }
}

function refusalOf(policy: PolicyInput, root: string | undefined): Refusal["failure"] | undefined {
  try {
    definePolicy(policy, root === undefined ? {} : { root });
    return undefined;
  } catch (error) {
    if (error instanceof Refusal && typeof error.failure.details?.key === "string") return error.failure;
    throw error;
  }
}

/** "policy.deniedPaths[1]" → ["deniedPaths", 1], or ["denied_paths", 1] where that is how it was written. */
function keyOf(name: string, policy: PolicyInput): Key {
  const [first = "", ...rest] = [...name.matchAll(/\.([^.[\]]+)|\[(\d+)\]/g)].map(
    ([, key, index]) => key ?? Number(index),
  );
  const keys = Object.keys(policy);
  const written = keys.includes(String(first)) ? first : keys.find((key) => POLICY_ALIASES[key] === first);
  return [written ?? first, ...rest];
}

/** A copy in which something harmless stands at the place of an item, so that those after it keep their numbers. */
function without(value: unknown, [first, ...rest]: Key): PolicyInput {
  const copy = structuredClone(value) as Record<string | number, unknown>;
  if (rest.length > 0) copy[first!] = without(copy[first!] ?? {}, rest);
  else if (typeof first === "number") copy[first] = HARMLESS;
  else delete copy[first!];
  return copy as PolicyInput;
}

const HARMLESS = "git";
