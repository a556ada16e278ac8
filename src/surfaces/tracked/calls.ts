// Written by scripts/tool-calls.mjs from the tools and their page in docs/surfaces: words that an editor shows.
import type { AnswerOf, CallingOptions, InputOf } from "../bind.ts";
import type { TrackedTools } from "./index.ts";

/** The tools of `tracked` as functions. */
export interface TrackedCalls {
  /** Shows a file with line numbers. A file must be Read before it can be overwritten or edited. */
  Read(input: ReadInput, options?: CallingOptions): AnswerOf<TrackedTools, "Read">;
  /** Creates a file, with the directories it needs, or overwrites one that was written in this session, or shown with Read. */
  Write(input: WriteInput, options?: CallingOptions): AnswerOf<TrackedTools, "Write">;
  /** Replaces old_string by new_string in a file. It must have been written in this session, or shown with Read. old_string must match exactly, and once unless replace_all is set. */
  Edit(input: EditInput, options?: CallingOptions): AnswerOf<TrackedTools, "Edit">;
  /** Lists files that match a glob (* ? [] **), newest first; .gitignore is respected. A pattern without / matches file names at any depth. */
  Glob(input: GlobInput, options?: CallingOptions): AnswerOf<TrackedTools, "Glob">;
  /** Searches file contents by regular expression (Rust syntax); .gitignore is respected. */
  Grep(input: GrepInput, options?: CallingOptions): AnswerOf<TrackedTools, "Grep">;
}

/** What `Read` takes. */
interface ReadInput {
  /** The file. */
  readonly file_path: InputOf<TrackedTools, "Read">["file_path"];
  /** First line. Default: 1. */
  readonly offset?: InputOf<TrackedTools, "Read">["offset"];
  /** Number of lines. Default: 2000. */
  readonly limit?: InputOf<TrackedTools, "Read">["limit"];
  /** Of the first line, the character to start with, from 1: to go on in a line that was cut. Default: 1. */
  readonly start_column?: InputOf<TrackedTools, "Read">["start_column"];
}

/** What `Write` takes. */
interface WriteInput {
  /** The file; missing directories are made. */
  readonly file_path: InputOf<TrackedTools, "Write">["file_path"];
  /** The whole text; may be empty. Encoding and line endings of the file are kept. */
  readonly content: InputOf<TrackedTools, "Write">["content"];
}

/** What `Edit` takes. */
interface EditInput {
  /** The file. */
  readonly file_path: InputOf<TrackedTools, "Edit">["file_path"];
  /** Text that is there exactly, and once unless `replace_all` is set. */
  readonly old_string: InputOf<TrackedTools, "Edit">["old_string"];
  /** What takes its place; may be empty. */
  readonly new_string: InputOf<TrackedTools, "Edit">["new_string"];
  /** Every occurrence. Default: no. */
  readonly replace_all?: InputOf<TrackedTools, "Edit">["replace_all"];
}

/** What `Glob` takes. */
interface GlobInput {
  /** A glob; without `/` it matches names at any depth. */
  readonly pattern: InputOf<TrackedTools, "Glob">["pattern"];
  /** The directory to look in. Default: the workspace. */
  readonly path?: InputOf<TrackedTools, "Glob">["path"];
  /** Most files, the newest first. Default: 100. */
  readonly limit?: InputOf<TrackedTools, "Glob">["limit"];
}

/** What `Grep` takes. */
interface GrepInput {
  /** A regular expression, as ripgrep understands it. */
  readonly pattern: InputOf<TrackedTools, "Grep">["pattern"];
  /** File or directory. Default: the workspace. */
  readonly path?: InputOf<TrackedTools, "Grep">["path"];
  /** Only files that match. Default: all. */
  readonly glob?: InputOf<TrackedTools, "Grep">["glob"];
  /** Lines around a hit, up to 20; also `-C`. Default: 0. */
  readonly context?: InputOf<TrackedTools, "Grep">["context"];
  /** The same, before a match; also `-B`. Default: context. */
  readonly before?: InputOf<TrackedTools, "Grep">["before"];
  /** The same, after it; also `-A`. Default: context. */
  readonly after?: InputOf<TrackedTools, "Grep">["after"];
  /** Also `-i`. Default: false. */
  readonly case_insensitive?: InputOf<TrackedTools, "Grep">["case_insensitive"];
  /** `content`, `files_with_matches` or `count`. Default: content. */
  readonly output_mode?: InputOf<TrackedTools, "Grep">["output_mode"];
  /** Most results; 0 is all, which means 100,000. Above 250 an answer may have 1 MiB, else 64 KB. Default: 250. */
  readonly head_limit?: InputOf<TrackedTools, "Grep">["head_limit"];
  /** Skip so many results: for the next page. Default: 0. */
  readonly offset?: InputOf<TrackedTools, "Grep">["offset"];
}
