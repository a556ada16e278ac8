// Words about policies: what one denies, and what is wrong with one.
import type { Catalogue } from "./row.ts";

export const POLICY = {
  denied: (facts: { path: string; action: string; rule: string; source: string; because: string }) => {
    const { path, action, rule, source, because } = facts;
    return {
      kind: "permission_denied",
      why: `The policy denies "${action}" on ${path === "" ? "the root" : path}: ${because} (rule: ${rule}).`,
      next: "Leave it as it is and go on without it, or ask the owner of the workspace to change the policy.",
      details: { action, rule, source },
    };
  },
  policy_malformed: ({ key, expected, found, problem }: PolicyProblem) => ({
    kind: "invalid_input",
    why: `${key}: expected ${expected}, found ${found}${problem === undefined ? "" : ` (${formatGlobProblem(problem)})`}.`,
    next: "Correct the policy; until then nothing is allowed.",
    details: { key },
  }),
} satisfies Catalogue;

export interface PolicyProblem {
  /** As it would be written: policy.protect[0].name */
  readonly key: string;
  readonly expected: string;
  readonly found: string;
  readonly problem?: GlobProblem | undefined;
}

const GLOB_PROBLEMS = {
  backslash: 'it has a backslash; write "/" between names',
  control: "it has control characters",
  negation: 'it starts with "!"; a rule says what it matches, not what it does not',
  home: '"~" is not expanded; name paths from the root of the workspace',
  up: 'it leads upwards with ".."',
  extended: "it has an extended pattern such as +(…); write several globs instead",
  set: "a set [ ] that is open, empty, spans names or has special characters",
  unpaired: "braces that do not pair within a name",
  no_choice: "braces without a choice, or with a range",
  bad_set: "a set that makes no sense",
  length: "it is longer than MAX characters",
  any_depth: 'it has more than MAX "**"',
  alternatives: "it has more than MAX alternatives",
  stars: "more than MAX stars",
  braces: "more than MAX braces",
  names: "braces that spell out more than MAX names",
};

/** Of a glob of a policy, or of one name in it. */
export interface GlobProblem {
  readonly is: keyof typeof GLOB_PROBLEMS;
  readonly max?: number;
  readonly name?: string;
}

function formatGlobProblem({ is, max, name }: GlobProblem): string {
  const why = GLOB_PROBLEMS[is].replace("MAX", String(max));
  return name === undefined ? why : `${why} in "${name}"`;
}
