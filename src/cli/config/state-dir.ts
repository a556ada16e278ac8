// Where the state of a root lives when that is not `.stet`: a directory of its own, never one that holds something else.
import { existsSync, lstatSync, readdirSync, realpathSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { contains, realPlace, type Way, wayTo } from "../../backends/disk/paths/owner-path.ts";
import { STATE_NAME } from "../../backends/disk/state/directory.ts";
import { Refusal } from "../../core/failure.ts";
import { protectionBelow } from "../../workspaces/protected-place.ts";
import type { Terminal } from "../options/command.ts";
import { textIn } from "./environment.ts";
import type { ConfigFile } from "./file/config-file.ts";
import { absolute } from "./paths.ts";
import type { ChosenRoot } from "./roots.ts";

export interface StateQuestion {
  readonly cwd: string;
  readonly env: Terminal["env"];
  readonly file: ConfigFile | undefined;
  /** The file was not named: it may have come with the project. */
  readonly found: boolean;
  /** All that are served. */
  readonly roots: readonly ChosenRoot[];
  /** Those that the file gives, in use or not. */
  readonly inFile: readonly Way[];
}

/** The environment's, then a root's own, then the file's; undefined for the usual place. */
export function stateDirOf(root: ChosenRoot, question: StateQuestion): Way | undefined {
  if (root.database !== undefined) return undefined;
  const { cwd, env, file, found, roots } = question;
  const fromEnv = textIn(env, "STET_STATE_DIR");
  const common = file?.config.stateDir;
  const inFile = root.stateDir ?? (common === undefined ? undefined : { path: common, at: ["stateDir"] });
  if (fromEnv === undefined && inFile === undefined) return undefined;
  const isOwn = fromEnv === undefined && root.stateDir !== undefined;
  if (!isOwn && Math.max(roots.length, file?.config.roots?.length ?? 1) > 1) {
    throw new Refusal("invalid_input", "One stateDir cannot hold the state of several roots.", {
      next: "Give each root a stateDir of its own under roots in stet.config.json, or none.",
    });
  }
  if (fromEnv !== undefined) return fitFor(question, absolute(cwd, fromEnv, env));
  const home = dirname(file!.path);
  const path = absolute(home, inFile!.path, env);
  const untrusted = (why: string): Refusal =>
    file!.refuse(
      [...inFile!.at],
      `stateDir: ${inFile!.path} ${why}; a file that was only found there may not use it. If you trust it, start with --config ${file!.path}`,
    );
  if (found && !contains(realPlace(home), realPlace(path))) throw untrusted("lies outside the directory of this file");
  const way = fitAsWritten(question, path, (what) => file!.refuse([...inFile!.at], what));
  const why = found ? whyUntrusted(root, home, path) : undefined;
  if (why !== undefined) throw untrusted(why);
  return way;
}

function fitAsWritten(question: StateQuestion, path: string, refuse: (what: string) => Refusal): Way {
  try {
    return fitFor(question, path);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    throw refuse(`stateDir: ${error.failure.message.replace(/\.$/, "")}`);
  }
}

/** Why a file that may have come with the project cannot have the state of a root there, below itself. */
function whyUntrusted(root: ChosenRoot, home: string, path: string): string | undefined {
  const usual = join(root.path, STATE_NAME);
  const real = realPlace(path);
  if (real === usual) return;
  const by = protectionBelow(realPlace(home), real) ?? protectionBelow(home, path);
  if (by !== undefined) return `is a place that the policy protects (rule: ${by.rule})`;
  return isThere(usual) ? `would hide the history that is in ${usual}` : undefined;
}

/** Also a link that leads nowhere. */
function isThere(place: string): boolean {
  try {
    return lstatSync(place, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return true;
  }
}

/** Those that the file gives, in use or not; refuses one of a root that is, holds, or lies in that of another. */
export function statesIn({ path, config, refuse }: ConfigFile, env: Terminal["env"]): readonly Way[] {
  const at = (written: string): string => absolute(dirname(path), written, env);
  const roots = (config.roots ?? []).map((root) => (typeof root === "string" ? { path: root } : root));
  const usual = roots.map((root) => join(realPlace(at(root.path)), STATE_NAME));
  const states = roots.map(({ stateDir }) => (stateDir === undefined ? undefined : wayTo(at(stateDir))));
  for (const [index, state] of states.entries()) {
    if (state === undefined) continue;
    const others = [...states.slice(0, index).map((other) => other?.end), ...usual.toSpliced(index, 1)];
    const relation = nestingOf(state.end, others);
    if (relation === undefined) continue;
    const isRoot = usual.some((place) => contains(state.end, dirname(place)));
    const what = isRoot ? "holds the root" : `${relation} the state of another root`;
    throw refuse(["roots", index, "stateDir"], `roots[${index}].stateDir: it ${what}`);
  }
  const common = config.stateDir === undefined ? undefined : wayTo(at(config.stateDir));
  return [...states, common].filter((state) => state !== undefined);
}

/** "holds" also where they are the same. */
function nestingOf(state: string, others: readonly (string | undefined)[]): "holds" | "lies in" | undefined {
  if (others.some((other) => other !== undefined && contains(state, other))) return "holds";
  return others.some((other) => other !== undefined && contains(other, state)) ? "lies in" : undefined;
}

/** stet writes its own files there, and keeps agents out of all of it. */
function fitFor({ roots, inFile }: StateQuestion, path: string): Way {
  refuseLoop(path);
  const way = wayTo(path);
  const real = way.end;
  if (roots.some((root) => contains(real, root.path))) throw unfit(path, "holds the root");
  const usual = roots.map((root) => join(root.path, STATE_NAME)).filter((place) => place !== real);
  if (nestingOf(real, usual) !== undefined) throw unfit(path, `lies in ${STATE_NAME}, which is a state itself`);
  const others = inFile.map(({ end }) => end).filter((end) => end !== real);
  const relation = nestingOf(real, others);
  if (relation !== undefined) throw unfit(path, `${relation} another stateDir of the configuration`);
  if (existsSync(real) && !statSync(real).isDirectory()) throw unfit(path, "is not a directory");
  if (existsSync(real) && !existsSync(join(real, FORMAT)) && entriesOf(real).length > 0) {
    throw unfit(path, "holds other files");
  }
  return way;
}

function refuseLoop(path: string): void {
  try {
    realpathSync.native(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ELOOP") throw unfit(path, "leads through links in a circle");
  }
}

/** Which every state has, from its first moment. */
const FORMAT = "format";

function entriesOf(directory: string): readonly string[] {
  try {
    return readdirSync(directory);
  } catch (error) {
    throw unfit(directory, `cannot be listed (${(error as NodeJS.ErrnoException).code})`);
  }
}

function unfit(path: string, why: string): Refusal {
  return new Refusal("invalid_input", `${path} cannot be a stateDir: it ${why}.`, {
    path,
    next: "Name a directory that is empty or does not exist yet.",
  });
}
