// Runs ripgrep by the rules of the .gitignore files as they are: those of the last search at once, and again if they have changed.
import { setImmediate as otherWork } from "node:timers/promises";
import type { Deadline } from "../../core/deadline.ts";
import { lastRulesOf, rulesNow } from "../ignore/scan.ts";
import type { Scope } from "../scope.ts";
import { handRules } from "./handed-rules.ts";
import type { Ripgrep } from "./process.ts";

/** Undefined where the rules cannot be handed over, and JavaScript has to do it. */
export async function underRules<T>(
  ripgrep: Ripgrep,
  scope: Scope,
  deadline: Deadline,
  search: (ripgrep: Ripgrep) => Promise<T>,
): Promise<T | undefined> {
  if (!scope.gitignore || scope.at.kind === "file") return search(ripgrep);
  const before = lastRulesOf(scope);
  if (before === undefined) return withRules(ripgrep, await rulesNow(scope, ripgrep.directory, deadline), search);
  // Most often they are what they were, and looking at every directory can go on while ripgrep works.
  const [found, now] = await Promise.allSettled([
    withRules(ripgrep, before, search),
    afterwards(() => rulesNow(scope, ripgrep.directory, deadline)),
  ]);
  if (now.status === "rejected") throw now.reason;
  if (now.value !== before) return withRules(ripgrep, now.value, search);
  if (found.status === "rejected") throw found.reason;
  return found.value;
}

/** When ripgrep has been started: looking leaves no time for that. */
async function afterwards<T>(look: () => Promise<T>): Promise<T> {
  await otherWork();
  return look();
}

async function withRules<T>(
  ripgrep: Ripgrep,
  rules: string,
  search: (ripgrep: Ripgrep) => Promise<T>,
): Promise<T | undefined> {
  if (rules === "") return search(ripgrep);
  const handed = handRules(rules);
  if (handed === undefined) return;
  try {
    return await search({ ...ripgrep, ignoreFiles: handed.files });
  } finally {
    handed.remove();
  }
}
