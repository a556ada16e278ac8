// One workspace for the length of one command.
import { Refusal, reworded } from "../../core/failure.ts";
import type { Command, Given, Terminal } from "../options/command.ts";
import { type OneOptions, type OpenedOne, openOne } from "./workspaces.ts";

export async function withWorkspace(
  terminal: Terminal,
  given: Given,
  work: (workspace: OpenedOne["workspace"], opened: OpenedOne) => ReturnType<Command["run"]>,
  how: OneOptions = {},
): ReturnType<Command["run"]> {
  const opened = await openOne(terminal, given, how);
  try {
    return await work(opened.workspace, opened);
  } catch (error) {
    throw error instanceof Refusal && error.kind === "journal_damaged" ? reworded(error, { next: RUN_VERIFY }) : error;
  } finally {
    await opened.close();
  }
}

export const RUN_VERIFY = "Run stet verify to see everything that is wrong before changing anything.";
