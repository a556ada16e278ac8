// Refusals as Mastra's own errors where it has one: its tools look for some of them. The words are ours.
import type { Refusal } from "../../core/failure.ts";
import { refusalText } from "../parts/words.ts";

/** `of`: what was asked for at this path. */
export async function theirError(
  refusal: Refusal,
  path: string,
  refused: string,
  of: "file" | "directory",
): Promise<Error> {
  const text = refusalText(refusal, refused);
  const name = nameOf(refusal, of);
  const mastra = name === undefined ? undefined : await import("@mastra/core/workspace").catch(() => undefined);
  const error = name === undefined || mastra === undefined ? new Error(text) : new mastra[name](path);
  return Object.assign(error, { message: text, cause: refusal });
}

type Theirs = keyof typeof import("@mastra/core/workspace");

function nameOf({ kind, failure: { details } }: Refusal, of: "file" | "directory"): Theirs | undefined {
  if (kind === "not_found") return of === "directory" ? "DirectoryNotFoundError" : "FileNotFoundError";
  if (kind === "already_exists") return "FileExistsError";
  if (kind === "not_a_directory") return "NotDirectoryError";
  if (kind === "not_a_file") return details?.directory === true ? "IsDirectoryError" : undefined;
  return details?.notEmpty === true ? "DirectoryNotEmptyError" : undefined;
}
