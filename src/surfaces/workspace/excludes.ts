// What searches leave out unless they are told otherwise.

/** Names at any depth, with everything below them. */
const DEFAULTS = ["node_modules", ".git", "dist", "build", ".next", ".turbo", "coverage"];

/** What a list of the caller does, in its schema. */
export const REPLACED = `Replaces the defaults: .gitignore, ${DEFAULTS.join(", ")}`;

/** A list of the caller replaces all defaults, .gitignore among them. */
export function leavingOut(excludeGlobs: readonly string[] | undefined): {
  readonly exclude: readonly string[];
  readonly gitignore: boolean;
  readonly hidden: true;
} {
  return {
    exclude: excludeGlobs ?? DEFAULTS,
    gitignore: excludeGlobs === undefined,
    hidden: true,
  };
}
