// Where the state of a root lives when that is not `.stet`: a directory of its own, never one that holds something else.
import { existsSync, readdirSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { Refusal } from "../../kernel/failure.ts";
import type { Terminal } from "../command.ts";
import { textIn } from "./environment.ts";
import type { ConfigFile } from "./file.ts";
import { absolute, contains, realOrAsGiven, type Way, wayTo } from "./paths.ts";
import type { ChosenRoot } from "./roots.ts";

export interface StateQuestion {
  readonly cwd: string;
  readonly env: Terminal["env"];
  readonly file: ConfigFile | undefined;
  /** Nobody named the file: it may have come with the project. */
  readonly found: boolean;
  /** All that are served. */
  readonly roots: readonly ChosenRoot[];
}

/** The environment's, then a root's own, then the file's; undefined for the usual place. */
export function stateDirOf(root: ChosenRoot, question: StateQuestion): Way | undefined {
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
  if (fromEnv !== undefined) return fitFor(roots, absolute(cwd, fromEnv, env));
  const home = dirname(file!.path);
  const path = absolute(home, inFile!.path, env);
  if (found && !contains(realOrAsGiven(home), realOrAsGiven(path))) {
    throw file!.refuse(
      [...inFile!.at],
      `stateDir: ${inFile!.path} lies outside the directory of this file; a file that was only found there may not use it. If you trust it, start with --config ${file!.path}`,
    );
  }
  try {
    return fitFor(roots, path);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    throw file!.refuse([...inFile!.at], `stateDir: ${error.failure.message.replace(/\.$/, "")}`);
  }
}

/** Those that the file gives its roots, served or not. */
export function statesIn({ path, config, refuse }: ConfigFile, env: Terminal["env"]): readonly Way[] {
  const states: Way[] = [];
  for (const [index, root] of (config.roots ?? []).entries()) {
    if (typeof root === "string" || root.stateDir === undefined) continue;
    const state = wayTo(absolute(dirname(path), root.stateDir, env));
    if (states.some(({ end }) => end === state.end)) {
      throw refuse(["roots", index, "stateDir"], `roots[${index}].stateDir: it holds the state of another root`);
    }
    states.push(state);
  }
  return states;
}

/** stet writes its own files there, and keeps agents out of all of it. */
function fitFor(roots: readonly ChosenRoot[], path: string): Way {
  const way = wayTo(path);
  const real = way.end;
  if (roots.some((root) => contains(real, root.path))) throw unfit(path, "holds the root");
  if (existsSync(real) && !statSync(real).isDirectory()) throw unfit(path, "is not a directory");
  if (existsSync(real) && !existsSync(join(real, FORMAT)) && namesIn(real).length > 0) {
    throw unfit(path, "holds other files");
  }
  return way;
}

/** Which every state has, from its first moment. */
const FORMAT = "format";

function namesIn(directory: string): readonly string[] {
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
