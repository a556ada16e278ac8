// A terminal that obeys nothing but colours: the last line of defence behind what commands escape themselves.
import { printable } from "../../core/printable.ts";
import type { Terminal } from "../options/command.ts";
import { safeColoured, safeText } from "./safe.ts";

export function guarded(terminal: Terminal): Terminal {
  const safe = terminal.colour ? safeColoured : safeText;
  // All else is looked up when it is asked for: a directory may be gone, and who asks for the signal listens for it.
  return Object.assign(Object.create(terminal) as Terminal, {
    out: (text: string) => terminal.out(safe(text)),
    err: (text: string) => terminal.err(safe(text)),
    progress: (text: string) => terminal.progress(printable(text)),
  });
}
