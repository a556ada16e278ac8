// Written by scripts/tool-calls.mjs from the tools and their page in docs/surfaces: words that an editor shows.
import type { AnswerOf, CallingOptions, InputOf } from "../bind.ts";
import type { CompactTools } from "./index.ts";

/** The tools of `compact` as functions. */
export interface CompactCalls {
  /** Read a file with line numbers. Also reads PDFs as text and images as base64. */
  Read(input: ReadInput, options?: CallingOptions): AnswerOf<CompactTools, "Read">;
  /** Create or overwrite a file. Parent directories are created. */
  Write(input: WriteInput, options?: CallingOptions): AnswerOf<CompactTools, "Write">;
  /** Replace old_string by new_string. old_string must be unique in the file; small slips in blanks and indentation are forgiven, and reported. */
  Edit(input: EditInput, options?: CallingOptions): AnswerOf<CompactTools, "Edit">;
  /** Find files by name pattern, newest first. Git-ignored files are left out. */
  Glob(input: GlobInput, options?: CallingOptions): AnswerOf<CompactTools, "Glob">;
  /** Search file contents with a regular expression. Hidden and git-ignored files are left out. */
  Grep(input: GrepInput, options?: CallingOptions): AnswerOf<CompactTools, "Grep">;
}

/** What `Read` takes. */
interface ReadInput {
  /** The file. */
  readonly file_path: InputOf<CompactTools, "Read">["file_path"];
  /** First line, counted from 0. Default: 0. */
  readonly offset?: InputOf<CompactTools, "Read">["offset"];
  /** Number of lines. Default: 2000. */
  readonly limit?: InputOf<CompactTools, "Read">["limit"];
  /** Of the first line, the character to start with: to go on in a line that was cut. Default: 1. */
  readonly start_column?: InputOf<CompactTools, "Read">["start_column"];
  /** Of the file, where it is another. Default: UTF-8, or UTF-16 by its mark. */
  readonly encoding?: InputOf<CompactTools, "Read">["encoding"];
  /** Of a PDF: `3`, `1-5`, `1-3,8`; no others are parsed. Default: the first 50, as far as limit reaches. */
  readonly pages?: InputOf<CompactTools, "Read">["pages"];
  /** Only lines that match this regular expression. */
  readonly pattern?: InputOf<CompactTools, "Read">["pattern"];
  /** Largest picture in bytes. Default: 1048576. */
  readonly max_binary_size?: InputOf<CompactTools, "Read">["max_binary_size"];
}

/** What `Write` takes. */
interface WriteInput {
  /** The file. */
  readonly file_path: InputOf<CompactTools, "Write">["file_path"];
  /** The whole text. */
  readonly content: InputOf<CompactTools, "Write">["content"];
  /** Make missing directories. Default: true. */
  readonly create_dirs?: InputOf<CompactTools, "Write">["create_dirs"];
  /** To write in. Default: that of the file, else UTF-8. */
  readonly encoding?: InputOf<CompactTools, "Write">["encoding"];
  /** Every write is atomic, whatever is given here. Default: true. */
  readonly atomic?: InputOf<CompactTools, "Write">["atomic"];
}

/** What `Edit` takes. */
interface EditInput {
  /** The file. */
  readonly file_path: InputOf<CompactTools, "Edit">["file_path"];
  /** The text to replace; must be unique. */
  readonly old_string?: InputOf<CompactTools, "Edit">["old_string"];
  /** What takes its place. */
  readonly new_string: InputOf<CompactTools, "Edit">["new_string"];
  /** Every occurrence. Default: false. */
  readonly replace_all?: InputOf<CompactTools, "Edit">["replace_all"];
  /** Put `new_string` before this line, counted from 1, instead of replacing. */
  readonly insert_at_line?: InputOf<CompactTools, "Edit">["insert_at_line"];
  /** Least similarity of a fuzzy block; a lower one takes more, 1 takes `old_string` to the letter only, line ends aside. Default: 0.85. */
  readonly fuzzy_threshold?: InputOf<CompactTools, "Edit">["fuzzy_threshold"];
  /** Closest places that are named when nothing matches. Default: 3. */
  readonly max_suggestions?: InputOf<CompactTools, "Edit">["max_suggestions"];
  /** Of the file, where it is another. Default: that of the file: UTF-8, or UTF-16 by its mark. */
  readonly encoding?: InputOf<CompactTools, "Edit">["encoding"];
}

/** What `Glob` takes. */
interface GlobInput {
  /** A glob; `*.md` looks in one directory, `**\/*.md` in all. */
  readonly pattern: InputOf<CompactTools, "Glob">["pattern"];
  /** The directory. Default: the workspace. */
  readonly path?: InputOf<CompactTools, "Glob">["path"];
  /** `file` or `dir`. Default: file. */
  readonly type?: InputOf<CompactTools, "Glob">["type"];
  /** Most paths, the newest first; up to 10,000. Default: 200. */
  readonly max_results?: InputOf<CompactTools, "Glob">["max_results"];
  /** Names that begin with a dot. Default: false. */
  readonly include_hidden?: InputOf<CompactTools, "Glob">["include_hidden"];
  /** What `.gitignore` names. Default: false. */
  readonly include_ignored?: InputOf<CompactTools, "Glob">["include_ignored"];
  /** Linked files of the workspace, and those in linked directories. Default: false. */
  readonly follow_symlinks?: InputOf<CompactTools, "Glob">["follow_symlinks"];
}

/** What `Grep` takes. */
interface GrepInput {
  /** A regular expression, as ripgrep understands it. */
  readonly pattern: InputOf<CompactTools, "Grep">["pattern"];
  /** File or directory. Default: the workspace. */
  readonly path?: InputOf<CompactTools, "Grep">["path"];
  /** Only files that match. Default: all. */
  readonly glob?: InputOf<CompactTools, "Grep">["glob"];
  /** Lines around a match, up to 20; also `-C`. Default: 0. */
  readonly context?: InputOf<CompactTools, "Grep">["context"];
  /** The same, before a match; also `-B`. Default: context. */
  readonly before?: InputOf<CompactTools, "Grep">["before"];
  /** The same, after it; also `-A`. Default: context. */
  readonly after?: InputOf<CompactTools, "Grep">["after"];
  /** The opposite; also `-i`. Default: false. */
  readonly case_insensitive?: InputOf<CompactTools, "Grep">["case_insensitive"];
  /** Only files of this type, as ripgrep names it. Default: all. */
  readonly type?: InputOf<CompactTools, "Grep">["type"];
  /** Names that begin with a dot. Default: false. */
  readonly include_hidden?: InputOf<CompactTools, "Grep">["include_hidden"];
  /** What `.gitignore` names. Default: false. */
  readonly include_ignored?: InputOf<CompactTools, "Grep">["include_ignored"];
  /** Also the directories below. Default: true. */
  readonly recursive?: InputOf<CompactTools, "Grep">["recursive"];
  /** Up to 10,000; above 250 an answer may have 1 MiB, else 64 KB. Default: 250. */
  readonly max_results?: InputOf<CompactTools, "Grep">["max_results"];
  /** Default: true. */
  readonly case_sensitive?: InputOf<CompactTools, "Grep">["case_sensitive"];
  /** `content`, `files_with_matches` or `count`. Default: content. */
  readonly output_mode?: InputOf<CompactTools, "Grep">["output_mode"];
  /** The pattern may match across lines. Default: false. */
  readonly multiline?: InputOf<CompactTools, "Grep">["multiline"];
  /** Skip so many results: for the next page. Default: 0. */
  readonly offset?: InputOf<CompactTools, "Grep">["offset"];
}
