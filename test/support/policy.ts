// The policy of a workspace, as its input makes it.
import { type Policy, type PolicyInput, Refusal, Workspace } from "stet";
import { memory } from "stet/backends/memory";

interface Where {
  /** Absolute, for globs that are absolute. */
  readonly root?: string;
  /** Where the state lies, from the root on. */
  readonly statePaths?: readonly string[];
}

export function definePolicy(input?: unknown, { root, statePaths }: Where = {}): Policy {
  const backend = {
    ...memory(),
    ...(root !== undefined && { directory: root }),
    ...(statePaths !== undefined && { statePaths }),
  };
  return new Workspace(backend, input === undefined ? {} : { policy: input as PolicyInput }).policy;
}

/** Undefined where the input is refused; anything else that is thrown is a defect. */
export function policyUnlessRefused(input: unknown): Policy | undefined {
  try {
    return definePolicy(input);
  } catch (error) {
    if (error instanceof Refusal && error.kind === "invalid_input") return undefined;
    throw error;
  }
}
