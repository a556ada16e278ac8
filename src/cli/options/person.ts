// The person at the command line: their name, the sessions they mean, the yes they give, how long work shows them progress.
import { userInfo } from "node:os";
import { Refusal } from "../../core/failure.ts";
import { printable } from "../../core/printable.ts";
import type { CallOptions, Session } from "../../kernel/session.ts";
import type { Workspace } from "../../kernel/workspace.ts";
import { flag, type Given, type Terminal } from "./command.ts";

/** The journal tells that a person at the command line acted, and who, as far as the environment knows. */
export function personIn({ env }: Terminal): string {
  const [name] = [env.USER, env.USERNAME, accountName()].flatMap((each) => each?.trim() || []);
  return name === undefined ? "cli" : name.slice(0, 64);
}

/** Services and containers often have no such variable; an account without a name has none here either. */
function accountName(): string | undefined {
  try {
    return userInfo().username;
  } catch {
    return undefined;
  }
}

export function sessionOfPerson(workspace: Workspace, terminal: Terminal): Session {
  return workspace.session({ agent: personIn(terminal), owner: true });
}

/** Of a call that may take long: Ctrl-C ends it, and a terminal shows how far it is, in one line that takes its own place. */
export function longCall(terminal: Terminal, tool: string) {
  const progress: NonNullable<CallOptions["progress"]> = ({ message }) => terminal.progress(printable(message));
  return { tool, signal: terminal.signal, progress };
}

/** A session id as the log prints it: whole, or its start when it is long. */
export function shortSession(id: string): string {
  return id.length > SHORT + 4 ? id.slice(0, SHORT) : id;
}

const SHORT = 8;

/** The whole id of a session that is given by its id or by the start of it. */
export async function sessionNamed({ backend }: Workspace, given: string): Promise<string> {
  for await (const { session } of backend.log({ session: given, newestFirst: true, limit: 1 })) return session;
  const found = new Set<string>();
  if (given !== "") {
    for await (const { session } of backend.log({ newestFirst: true })) {
      if (session.startsWith(given)) found.add(session);
      if (found.size > 1) break;
    }
  }
  const [only, other] = found;
  if (only !== undefined && other === undefined) return only;
  const name = printable(given);
  if (other === undefined)
    throw new Refusal("not_found", `The journal knows no session ${name}.`, { next: "stet log shows the sessions." });
  throw new Refusal("invalid_input", `More than one session begins with ${name}.`, {
    next: "Give more of its id; stet show ENTRY prints the whole.",
  });
}

/** Of commands by which something goes that cannot be had again so easily. */
export const YES_OPTION = {
  yes: flag("do it without a question; where there is no terminal to ask in, nothing is done without it", "y"),
};

/** `what`: as in "drop 3 versions". Without a yes, says what to do to give one; the command then ends with exit code 1. */
export async function agreed(terminal: Terminal, { values, json }: Given, what: string): Promise<boolean> {
  if (values.yes === true) return true;
  const answer = json ? undefined : terminal.answer;
  if (answer !== undefined) {
    terminal.err(`Really ${what}? [y/N] `);
    if (/^y(?:es)?$/i.test((await answer()).trim())) return true;
  }
  const next = answer === undefined ? ` Repeat it with --yes to ${what}.` : "";
  terminal.err(`Nothing was changed.${next}\n`);
  return false;
}

export function untilEnded({ signal }: Terminal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
}
