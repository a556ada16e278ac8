// What write, edit and delete have in common: no proof is asked for, links and large results are refused in a sandbox.
import type { Current, Next } from "../../kernel/change.ts";
import { Refusal } from "../../kernel/failure.ts";
import type { Action } from "../../kernel/policy.ts";
import type { Changed, ChangeOptions } from "../../kernel/session.ts";
import type { Place } from "./place.ts";
import { linkDenied, readOnly, tooLarge } from "./words.ts";

export interface Wanted {
  readonly path: string;
  readonly action: Action;
  /** How a result that is too large is spoken of, and what to do about it. */
  readonly size: { readonly what: string; readonly advice: string };
}

export async function change(
  place: Place,
  wanted: Wanted,
  edit: (now: Current) => Next,
  options: ChangeOptions = {},
): Promise<Changed> {
  const { path, action, size } = wanted;
  const { settings, session, call } = place;
  if (settings.mode === "sandbox" && settings.readOnly) throw readOnly(path, action);
  const guard = await linkGuard(place, path);
  const changed = await session.change(
    [{ path, action, proof: { by: "waived" }, createParents: action === "write" }],
    ([now]) => {
      if (guard !== undefined) throw guard;
      return [edit(now!)];
    },
    {
      ...call,
      ...options,
      inspect([file]) {
        if (file !== undefined && file.size > (settings.maxBytes ?? file.size))
          throw tooLarge(size.what, file.size, settings.maxBytes!, size.advice);
        return [];
      },
    },
  );
  place.warn(...changed.warnings);
  return changed;
}

/** Why a path must not be used in a sandbox; other refusals about it are left to the call itself, which records them. */
/** The change itself refuses, and records, what the path alone forbids. */
async function linkGuard({ mode, session }: Place, path: string): Promise<Refusal | undefined> {
  if (mode === "store") return undefined;
  try {
    return (await session.workspace.backend.resolve(path)).throughLink ? linkDenied(path) : undefined;
  } catch (error) {
    if (error instanceof Refusal) return undefined;
    throw error;
  }
}
