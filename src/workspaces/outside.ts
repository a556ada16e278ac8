// Of the globs that a policy allows: those outside the root, by the directory that each of them opens.
import { contains } from "../backends/disk/paths/owner-path.ts";
import type { PolicyInput } from "../kernel/policy/policy.ts";

export interface Outside {
  /** Absolute, as it was written: the names before the first that is a pattern. */
  readonly directory: string;
  /** From there on. */
  readonly globs: readonly string[];
}

/** `root` is absolute. A directory in another one that is listed is a part of that. */
export function outsideOf(policy: PolicyInput | undefined, root: string): readonly Outside[] {
  const listed = policy?.allowedPaths ?? policy?.allowed_paths ?? [];
  const globs = (Array.isArray(listed) ? listed : []).filter((glob) => typeof glob === "string" && isAbsolute(glob));
  const all = globs.map((glob) => splitGlob(glob)).filter(({ directory }) => !contains(root, directory));
  const outermost = all.filter(
    ({ directory }, at) =>
      !all.some((other, n) => contains(other.directory, directory) && (other.directory !== directory || n < at)),
  );
  return outermost.map(({ directory }) => ({
    directory,
    globs: all
      .filter((each) => contains(directory, each.directory))
      .map((each) => [...namesIn(each.directory).slice(namesIn(directory).length), each.glob].join("/")),
  }));
}

/** For another root: what stands in a rule for the first one alone is left out. */
export function fromAnyRoot(globs: readonly string[] | undefined): readonly string[] {
  return (globs ?? []).filter((glob) => !isAbsolute(glob) && !WORKDIR.test(glob));
}

const WORKDIR = /^\{\{\s*workdir\s*\}\}/;

function isAbsolute(glob: string): boolean {
  return /^(?:\/|[A-Za-z]:)/.test(glob);
}

const PATTERN = /[*?[\]{}()!+@\\]/;

function splitGlob(glob: string): { readonly directory: string; readonly glob: string } {
  const names = glob.replace(/\/$/, "/**").split("/");
  const first = names.findIndex((name) => PATTERN.test(name));
  const from = first === -1 ? names.length - 1 : first;
  const directory = names.slice(0, from).join("/");
  return {
    directory: /^(?:[A-Za-z]:)?$/.test(directory) ? `${directory}/` : directory,
    glob: names.slice(from).join("/"),
  };
}

function namesIn(path: string): readonly string[] {
  return path.split("/").filter((name) => name !== "");
}
