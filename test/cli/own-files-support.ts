// Calls as an agent makes them, in one session for each root of a configuration, and what became of each.
import { openAll } from "../../src/cli/open/workspaces.ts";
import type { Terminal } from "../../src/cli/options/command.ts";
import { call } from "../../src/surfaces/index.ts";

export const HOME = "/nonexistent/home";

export interface Around {
  readonly config?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** In the first root unless another one is named. */
export type Call = readonly [tool: string, input: object, root?: string];

export async function kindsOf(
  cwd: string,
  calls: readonly Call[],
  { config, env }: Around,
): Promise<[string, string][]> {
  const terminal = {
    cwd,
    env: { HOME, STET_REGISTER: process.env.STET_REGISTER, ...env },
    err: () => {},
  } as unknown as Terminal;
  const { surface, served, close } = await openAll(terminal, { values: { config }, positionals: [] });
  try {
    const sessions = served.map(({ name, workspace }) => ({ name, session: workspace.session() }));
    const kinds: [string, string][] = [];
    for (const [tool, input, root = served[0].name] of calls) {
      const { session } = sessions.find(({ name }) => name === root)!;
      const result = await call(session, surface, tool, input);
      kinds.push([`${tool} ${JSON.stringify(input)}`, result.ok ? "done" : result.error.kind]);
    }
    return kinds;
  } finally {
    await close();
  }
}
