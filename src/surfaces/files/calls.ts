// Written by scripts/tool-calls.mjs from the tools and their page in docs/surfaces: words that an editor shows.
import type { AnswerOf, CallingOptions, InputOf } from "../bind.ts";
import type { FilesTools } from "./index.ts";

/** The tools of `files` as functions. */
export interface FilesCalls {
  /** Lists, reads, writes, edits and deletes files of an in-memory store, for example {"params": {"command": "read", "file_path": "docs/README.md", "offset": 0, "limit": 200}}. */
  files(input: FilesInput, options?: CallingOptions): AnswerOf<FilesTools, "files">;
}

/** What `files` takes. */
interface FilesInput {
  /** The command with its fields. */
  readonly params?: InputOf<FilesTools, "files">["params"];
  /** `ls`, `read`, `write`, `edit`, `delete`. */
  readonly command?: InputOf<FilesTools, "files">["command"];
  /** The file; in a sandbox relative, or absolute in its root. */
  readonly file_path?: InputOf<FilesTools, "files">["file_path"];
  /** First line, counted from 0. Default: 0. */
  readonly offset?: InputOf<FilesTools, "files">["offset"];
  /** Number of lines; 0 or less means the default. Default: 2000. */
  readonly limit?: InputOf<FilesTools, "files">["limit"];
  /** Of the first line, the character to start with, from 1: to go on in a line that was cut at 2000. Default: 1. */
  readonly start_column?: InputOf<FilesTools, "files">["start_column"];
  /** The name of a separate store. Default: the shared one. */
  readonly instance?: InputOf<FilesTools, "files">["instance"];
  /** The whole text. */
  readonly content?: InputOf<FilesTools, "files">["content"];
  /** Text that is there exactly; in several places: see below. */
  readonly old_string?: InputOf<FilesTools, "files">["old_string"];
  /** What takes its place. */
  readonly new_string?: InputOf<FilesTools, "files">["new_string"];
  /** Every occurrence. Default: no. */
  readonly replace_all?: InputOf<FilesTools, "files">["replace_all"];
  /** Refuse unless this many would be replaced. */
  readonly expected_count?: InputOf<FilesTools, "files">["expected_count"];
  /** Only say what would happen. Default: no. */
  readonly dry_run?: InputOf<FilesTools, "files">["dry_run"];
}
