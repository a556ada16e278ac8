// How far long work has come, for a person who waits.
import type { CallOptions } from "../../kernel/session.ts";
import type { Terminal } from "../options/command.ts";
import { safeLine } from "./safe.ts";

/** Shown on a terminal only, in one line that the next takes the place of. */
export function progressIn(terminal: Terminal): NonNullable<CallOptions["progress"]> {
  return ({ message }) => terminal.progress(safeLine(message));
}
