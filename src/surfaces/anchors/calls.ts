// Written by scripts/tool-calls.mjs from the tools and their page in docs/surfaces: words that an editor shows.
import type { AnswerOf, CallingOptions, InputOf } from "../bind.ts";
import type { AnchorsTools } from "./index.ts";

/** The tools of `anchors` as functions. */
export interface AnchorsCalls {
  /** Read lines of a text file. With hashes: true every line is `N#hash [quality]|content`; use these hashes as anchors for edit, and the file_version shown to make sure of the version. */
  read_file(input: ReadFileInput, options?: CallingOptions): AnswerOf<AnchorsTools, "read_file">;
  /** Edit a file by the line hashes (anchors) that read_file(hashes: true) shows. All operations apply to the same snapshot, together or not at all. */
  edit(input: EditInput, options?: CallingOptions): AnswerOf<AnchorsTools, "edit">;
  /** Create a file or replace all of its text. Invalidates every anchor of it; prefer edit for changes. */
  write_file(input: WriteFileInput, options?: CallingOptions): AnswerOf<AnchorsTools, "write_file">;
}

/** What `read_file` takes. */
interface ReadFileInput {
  /** The file, as large as `edit` takes it. */
  readonly path: InputOf<AnchorsTools, "read_file">["path"];
  /** Lines to skip. Default: 0. */
  readonly offset?: InputOf<AnchorsTools, "read_file">["offset"];
  /** Lines to show, with hashes at most 4000. Default: 200. */
  readonly limit?: InputOf<AnchorsTools, "read_file">["limit"];
  /** Of the first line, the character to start with, from 1: to go on in a line that was cut. Default: 1. */
  readonly start_column?: InputOf<AnchorsTools, "read_file">["start_column"];
  /** Show the anchor of every line. Default: false. */
  readonly hashes?: InputOf<AnchorsTools, "read_file">["hashes"];
}

/** What `edit` takes. */
interface EditInput {
  /** The file. */
  readonly path: InputOf<AnchorsTools, "edit">["path"];
  /** All apply to one version of the file, together or not at all. */
  readonly operations: InputOf<AnchorsTools, "edit">["operations"];
  /** Version the edit is for (`fv_…`); another one is refused. */
  readonly expected_file_version?: InputOf<AnchorsTools, "edit">["expected_file_version"];
  /** `strict`, `warn` or `off`. Default: strict. */
  readonly safety_check?: InputOf<AnchorsTools, "edit">["safety_check"];
  /** Check everything, write nothing. Default: false. */
  readonly dry_run?: InputOf<AnchorsTools, "edit">["dry_run"];
  /** An older name of `path`; accepted with a warning. */
  readonly file_path?: InputOf<AnchorsTools, "edit">["file_path"];
}

/** What `write_file` takes. */
interface WriteFileInput {
  /** The file; missing directories are made. */
  readonly path: InputOf<AnchorsTools, "write_file">["path"];
  /** The whole new text. */
  readonly content: InputOf<AnchorsTools, "write_file">["content"];
  /** Version the write is for (`fv_…`); another one is refused, or merged with `onStale: rebase`. */
  readonly expected_file_version?: InputOf<AnchorsTools, "write_file">["expected_file_version"];
}
