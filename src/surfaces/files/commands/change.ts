// What write, edit and delete have in common: no proof is asked for, links and large results are refused in a sandbox.
import type { Resolved } from "../../../core/backend.ts";
import { Refusal } from "../../../core/failure.ts";
import { printable } from "../../../core/printable.ts";
import type { Current, Next } from "../../../kernel/change/plan.ts";
import type { ChangedFile } from "../../../kernel/change/report.ts";
import type { Action } from "../../../kernel/policy/policy.ts";
import type { ChangeOptions, Session } from "../../../kernel/session.ts";
import { changeFile, formNotes, overwriteNotes, tellingChanges } from "../../shared/change.ts";
import type { Place } from "../place.ts";
import { linkDenied, readOnly, tooLarge } from "../words.ts";

export interface Wanted {
  readonly path: string;
  readonly action: Action;
  /** How a result that is too large is spoken of, and what to do about it. */
  readonly size: { readonly what: string; readonly advice: string };
}

export async function change(
  place: Place,
  wanted: Wanted,
  edit: (now: Current) => Next | Promise<Next>,
  options: ChangeOptions = {},
): Promise<ChangedFile> {
  const { path, action, size } = wanted;
  const { settings, session, call } = place;
  if (settings.mode === "sandbox" && settings.readOnly) throw readOnly(path, action);
  const guard = await linkGuard(place, path);
  const proof = { by: session.workspace.strict ? "session" : "waived" } as const;
  return changeFile(
    place,
    { path, action, proof, createParents: action === "write" },
    async (now) => {
      if (guard !== undefined) throw guard;
      const next = await tellingChanges(session, now, call, () => edit(now));
      return { next, notes: await notesOn(place, now, next) };
    },
    {
      ...options,
      inspect([file]) {
        if (file !== undefined && file.size > (settings.maxBytes ?? file.size))
          throw tooLarge(size.what, file.size, settings.maxBytes!, size.advice);
        return [];
      },
    },
  );
}

/** No proof is asked for, so what the session does not know about the file is said. */
async function notesOn({ session }: Place, now: Current, next: Next): Promise<readonly string[]> {
  const seen = session.workspace.strict ? undefined : await session.ledger.get(now.path);
  if (next && "body" in next) return [...overwriteNotes(now, seen), ...formNotes(now, next.body)];
  if (seen === undefined) return [];
  if (now.version === null || now.version.sha === seen.sha) return [];
  return [`${printable(now.raw)} has changed since you read it; read it again to see what else is different.`];
}

/** Why a path must not be used in a sandbox. The change itself refuses, and records, what else the path alone forbids. */
async function linkGuard({ mode, session }: Place, path: string): Promise<Refusal | undefined> {
  if (mode === "store") return undefined;
  try {
    const at = await session.workspace.backend.resolve(path);
    return at.throughLink ? await linkRefusal(session, path, at) : undefined;
  } catch (error) {
    if (error instanceof Refusal) return undefined;
    throw error;
  }
}

/** Names the part of the path that is the link: it may be a directory on the way. A new file may be written where it leads. */
export async function linkRefusal(
  { workspace }: Session,
  path: string,
  at: Resolved,
  toRead = false,
): Promise<Refusal> {
  const denied = (link: string) => linkDenied(path, link, at.path, !toRead || at.kind !== "absent");
  const names = path.split("/");
  for (const n of names.keys()) {
    const part = names.slice(0, n + 1).join("/");
    if (part !== "" && (await workspace.backend.resolve(part, { link: true })).kind === "link") return denied(part);
  }
  return denied(path);
}
