// Refusals as Mastra's own errors where it has one: its tools look for some of them. The words are ours.
import { IN_PARTS, type Refusal } from "../../core/failure.ts";
import { copyOf } from "../parts/loaded-copy.ts";
import { refusalText } from "../parts/words.ts";

/** Also a range of lines is cut out of the whole file, by Mastra. */
export function theirWords(refusal: Refusal, refused: string): string {
  return refusalText(refusal, refused).replace(IN_PARTS, "Search in it.");
}

/** `of`: what was asked for at this path. */
export async function theirError(
  refusal: Refusal,
  path: string,
  text: string,
  of: "file" | "directory",
): Promise<Error> {
  const name = nameOf(refusal, of);
  const mastra = name === undefined ? undefined : await copyOf(PACKAGE, () => import("@mastra/core/workspace"));
  const error = name === undefined || mastra === undefined ? new Error(text) : madeOf(mastra, name, path, refusal);
  return Object.assign(error, { message: text, cause: refusal });
}

const PACKAGE = "@mastra/core/workspace";
type Mastra = typeof import("@mastra/core/workspace");
type Theirs = keyof Mastra;

function madeOf(mastra: Mastra, name: Theirs, path: string, { failure: { details } }: Refusal): Error {
  if (name !== "StaleFileError") return new mastra[name](path);
  const [expected, actual] = [details?.expectedMtime, details?.actualMtime].map((time) => new Date(String(time)));
  return new mastra.StaleFileError(path, expected!, actual!);
}

function nameOf({ kind, failure: { details } }: Refusal, of: "file" | "directory"): Theirs | undefined {
  if (kind === "not_found" || details?.cause === "not_found")
    return of === "directory" ? "DirectoryNotFoundError" : "FileNotFoundError";
  if (kind === "stale_file" && details?.expectedMtime !== undefined) return "StaleFileError";
  if (kind === "already_exists") return "FileExistsError";
  if (kind === "not_a_directory") return "NotDirectoryError";
  if (kind === "not_a_file") return details?.directory === true ? "IsDirectoryError" : undefined;
  return details?.notEmpty === true ? "DirectoryNotEmptyError" : undefined;
}
