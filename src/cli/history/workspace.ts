// One workspace for the length of one command.
import type { Command, Given, Terminal } from "../command.ts";
import { type OpenedOne, openOne } from "../open.ts";

export async function withWorkspace(
  terminal: Terminal,
  given: Given,
  work: (workspace: OpenedOne["workspace"], opened: OpenedOne) => ReturnType<Command["run"]>,
): ReturnType<Command["run"]> {
  const opened = await openOne(terminal, given);
  try {
    return await work(opened.workspace, opened);
  } finally {
    await opened.close();
  }
}
