// How far long work has come, for a person who waits.
import { printable } from "../../core/printable.ts";
import type { CallOptions } from "../../kernel/session.ts";
import type { Terminal } from "../options/command.ts";

/** Shown on a terminal only, in one line that the next takes the place of. */
export function progressIn(terminal: Terminal): NonNullable<CallOptions["progress"]> {
  return ({ message }) => terminal.progress(printable(message));
}
