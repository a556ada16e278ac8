// Refusals of this surface name the path as the caller typed it, whatever the path turned out to be.
import { Refusal } from "../../core/failure.ts";
import type { Action } from "../../kernel/policy/policy.ts";
import { rootAsDirectory } from "../answer/followable.ts";
import { legibleFailure } from "../answer/legible.ts";
import type { ToolContext } from "../tool.ts";

interface Typed {
  readonly path: string;
  readonly action: Action;
}

export async function asTyped<T>(context: ToolContext, typed: Typed, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const { kind, message, suggestedAction, details, recoverable } = rootAsDirectory(legibleFailure(error.failure));
    const directory = kind === "not_a_file" && (details?.directory === true || (await isDirectory(context, typed)));
    const more = { ...details, ...(directory && { directory }) };
    throw new Refusal(kind, message, {
      path: typed.path,
      recoverable,
      reason: error.reason,
      cause: error,
      ...(suggestedAction !== undefined && { next: suggestedAction }),
      ...(Object.keys(more).length > 0 && { details: more }),
    });
  }
}

async function isDirectory({ session, call }: ToolContext, { path, action }: Typed): Promise<boolean> {
  try {
    return (await session.resolve(path, action, call)).kind === "directory";
  } catch (error) {
    if (error instanceof Refusal) return false;
    throw error;
  }
}
