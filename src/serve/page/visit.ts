// One request of the page on its way through, and the room it enters: the workspaces and what is known of them.
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Path } from "../../core/backend.ts";
import { Refusal } from "../../core/failure.ts";
import { type ReviewedSet, reviewedEntries } from "../../kernel/history/review/marks.ts";
import type { Session } from "../../kernel/session.ts";
import type { Workspace } from "../../kernel/workspace.ts";
import type { Served } from "../served/served.ts";
import { mayChange, type Visitor } from "./access/roles.ts";
import type { PageOptions } from "./options.ts";
import { type Fields, textOf } from "./request.ts";

export interface Visit {
  readonly room: Room;
  readonly visitor: Visitor;
  /** Of the query, or of the body of a POST. */
  readonly fields: Fields;
  /** Aborted when the visitor goes away. */
  readonly signal: AbortSignal;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

export interface Room {
  readonly options: PageOptions;
  /** All, or the one of this name. */
  chosen(name: string | undefined): readonly Served[];
  reviewed(name: string): Promise<ReadonlySet<number>>;
}

export function createRoom(options: PageOptions): Room {
  const marks = new Map<string, ReviewedSet>();
  const chosen = (name: string | undefined): readonly Served[] => {
    const found = options.served.filter((each) => name === undefined || each.name === name);
    if (found.length > 0) return found;
    throw new Refusal("not_found", `There is no workspace ${JSON.stringify(name)} here.`, {
      next: "Choose one of those that are served.",
    });
  };
  return {
    options,
    chosen,
    async reviewed(name) {
      const known = await reviewedEntries(chosen(name)[0]!.workspace.backend, marks.get(name));
      marks.set(name, known);
      return known.seqs;
    },
  };
}

/** The workspace that a request is about. */
export function workspaceOf({ room, fields }: Visit): Workspace {
  return room.chosen(textOf(fields, "w"))[0]!.workspace;
}

/** What the journal has under the visitor's own name. */
export function sessionOf(visit: Visit): Session {
  return workspaceOf(visit).session({ agent: visit.visitor.name, owner: true });
}

/** The owner sees what the journal and the store have; others what the policy lets agents read. */
export function maySee({ visitor }: Visit, { policy }: Workspace, path: string): boolean {
  return mayChange(visitor) || policy.allows(path as Path, "read");
}
