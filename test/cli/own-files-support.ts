// Calls as an agent makes them in the roots of a configuration, and what became of each.
import { stet } from "../support/cli.ts";

export interface Around {
  readonly config?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** In the only root unless one is named. */
export type Call = readonly [tool: string, input: object, root?: string];

export async function kindsOf(
  cwd: string,
  calls: readonly Call[],
  { config, env = {} }: Around,
): Promise<[string, string][]> {
  const kinds: [string, string][] = [];
  for (const [tool, input, root] of calls) {
    const where = [
      ...(root === undefined ? [] : ["--root", root]),
      ...(config === undefined ? [] : ["--config", config]),
    ];
    const ran = await stet(["call", tool, JSON.stringify(input), ...where, "--json"], { cwd, env });
    kinds.push([`${tool} ${JSON.stringify(input)}`, ran.code === 0 ? "done" : ran.json().error.kind]);
  }
  return kinds;
}
