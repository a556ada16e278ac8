// The person at the command line: under which name they act, and how they name a session.
import { userInfo } from "node:os";
import { Refusal } from "../../core/failure.ts";
import { printable } from "../../core/printable.ts";
import type { Session } from "../../kernel/session.ts";
import type { Workspace } from "../../kernel/workspace.ts";
import type { Terminal } from "./command.ts";

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

/** A session id as the log prints it: whole, or its start when it is long. */
export function shortSession(id: string): string {
  return id.length > SHORT + 4 ? id.slice(0, SHORT) : id;
}

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
  if (other === undefined) {
    throw new Refusal("not_found", `The journal knows no session ${name}.`, { next: "stet log shows the sessions." });
  }
  throw new Refusal("invalid_input", `More than one session begins with ${name}.`, {
    next: "Give more of its id; stet show ENTRY prints the whole.",
  });
}

const SHORT = 8;
