// A request of the page, and its room: the workspaces that the visitor may ask for, and what is known of them.
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Backend, Path } from "../../core/backend.ts";
import { Refusal } from "../../core/failure.ts";
import { type ReviewedSet, reviewedEntries } from "../../kernel/history/marks.ts";
import type { Session } from "../../kernel/session.ts";
import type { Workspace } from "../../kernel/workspace.ts";
import type { Principal } from "../../serve/http/access/tokens.ts";
import type { Shares } from "../../serve/http/limits.ts";
import type { PageOptions } from "../../serve/http/page.ts";
import { found, type Lookup } from "../../serve/workspaces/lookup.ts";
import type { NamedWorkspace } from "../../serve/workspaces/named.ts";
import type { Entered } from "./access/door.ts";
import { seesAll } from "./access/roles.ts";
import { type Fields, textOf } from "./request.ts";

export interface Visit extends Pick<Entered, "visitor" | "who"> {
  readonly room: Room;
  /** From the query, or from the body of a POST. */
  readonly fields: Fields;
  /** Aborts when the visitor goes away. */
  readonly signal: AbortSignal;
  /** Counts open streams by visitor. */
  readonly streams: Shares;
  /** Counts running verifications by visitor. */
  readonly checks: Shares;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

export interface Room {
  readonly options: PageOptions;
  /** Finds workspaces by name, where they are not listed. */
  readonly lookup: Lookup | undefined;
  /** All workspaces, or the one of this name; where they are found by name, always one. Open until the room is left. */
  chosen(name: string | undefined): Promise<readonly NamedWorkspace[]>;
  reviewed(workspace: Workspace): Promise<ReadonlySet<number>>;
  leave(): void;
}

/** Without a principal: the room of the owner. */
export function createRooms(options: PageOptions): (principal: Principal | undefined) => Room {
  const marks = new WeakMap<Backend, ReviewedSet>();
  return (principal) => {
    const lookup = principal && options.lookupFor?.(principal);
    const held: (() => void)[] = [];
    return {
      options,
      lookup,
      async chosen(name) {
        if (lookup === undefined) return named(options.served, name);
        const one = await found(lookup, name, false);
        const letGo = one.hold?.();
        if (letGo !== undefined) held.push(letGo);
        return [one];
      },
      async reviewed({ backend }) {
        const known = await reviewedEntries(backend, marks.get(backend));
        marks.set(backend, known);
        return known.seqs;
      },
      leave() {
        for (const letGo of held.splice(0)) letGo();
      },
    };
  };
}

function named(served: readonly NamedWorkspace[], name: string | undefined): readonly NamedWorkspace[] {
  const all = served.filter((each) => name === undefined || each.name === name);
  if (all.length > 0) return all;
  throw new Refusal("not_found", `There is no workspace ${JSON.stringify(name)} here.`, {
    next: "Choose one of those that are served.",
  });
}

/** The workspace that a request is about. */
export async function workspaceOf({ room, fields }: Visit): Promise<Workspace> {
  const [one] = await room.chosen(textOf(fields, "w"));
  return one!.workspace;
}

/** The journal records what this session does under the visitor's own name. */
export async function sessionOf(visit: Visit): Promise<Session> {
  return (await workspaceOf(visit)).session({ agent: visit.visitor.name, owner: true });
}

/** The owner sees all that is in the history; others see what the policy lets agents read. */
export function maySee({ visitor }: Visit, { policy }: Workspace, file: { path: string; movedFrom?: string }): boolean {
  const { path, movedFrom = path } = file;
  return seesAll(visitor) || [path, movedFrom].every((each) => policy.allows(each as Path, "read"));
}
