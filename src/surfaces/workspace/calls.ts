// Written by scripts/tool-calls.mjs from the tools and their page in docs/surfaces: words that an editor shows.
import type { AnswerOf, CallingOptions, InputOf } from "../bind.ts";
import type { WorkspaceTools } from "./index.ts";

/** The tools of `workspace` as functions. */
export interface WorkspaceCalls {
  /** Read a text file, whole or some lines; line ends are shown as LF. The sha256 covers the whole file even if only a part is shown: pass it as expectedSha256 to change the file. */
  read_file(input: ReadFileInput, options?: CallingOptions): AnswerOf<WorkspaceTools, "read_file">;
  /** List a directory, optionally with everything below it. At most 5000 entries. */
  list_directory(input: ListDirectoryInput, options?: CallingOptions): AnswerOf<WorkspaceTools, "list_directory">;
  /** Search many files by path, text or regex. One hit per line; skips binary files and files over 4 MiB. */
  search_files(input: SearchFilesInput, options?: CallingOptions): AnswerOf<WorkspaceTools, "search_files">;
  /** Find files, folders and links whose path below root matches a glob, e.g. src/**\/*.ts. */
  glob(input: GlobInput, options?: CallingOptions): AnswerOf<WorkspaceTools, "glob">;
  /** Create a new file with exactly this content. Fails if the path exists. */
  create_file(input: CreateFileInput, options?: CallingOptions): AnswerOf<WorkspaceTools, "create_file">;
  /** Overwrite an existing file. Its byte order mark, encoding and line endings are kept. */
  write_file(input: WriteFileInput, options?: CallingOptions): AnswerOf<WorkspaceTools, "write_file">;
  /** Replace exact text in a file. All edits refer to the file as you read it; all apply or none. */
  edit_file(input: EditFileInput, options?: CallingOptions): AnswerOf<WorkspaceTools, "edit_file">;
  /** Delete a file; restore_file brings it back unless permanent. Not for directories. */
  delete_file(input: DeleteFileInput, options?: CallingOptions): AnswerOf<WorkspaceTools, "delete_file">;
  /** Bring a deleted file back. Fails if its place is taken. */
  restore_file(input: RestoreFileInput, options?: CallingOptions): AnswerOf<WorkspaceTools, "restore_file">;
  /** Move or rename a file. Fails if the destination exists. */
  move_file(input: MoveFileInput, options?: CallingOptions): AnswerOf<WorkspaceTools, "move_file">;
  /** Change several files at once, all or none. */
  apply_patch(input: ApplyPatchInput, options?: CallingOptions): AnswerOf<WorkspaceTools, "apply_patch">;
  /** Show every change and every refused change in this workspace, newest first, one record per file. */
  audit_log(input: AuditLogInput, options?: CallingOptions): AnswerOf<WorkspaceTools, "audit_log">;
  /** List deleted files, newest first; restore_file brings them back. */
  list_trash(input: ListTrashInput, options?: CallingOptions): AnswerOf<WorkspaceTools, "list_trash">;
}

/** What `read_file` takes. */
interface ReadFileInput {
  /** The file. */
  readonly path: InputOf<WorkspaceTools, "read_file">["path"];
  /** The lines to show, the last one included. Default: all. */
  readonly startLine?: InputOf<WorkspaceTools, "read_file">["startLine"];
  /** The lines to show, the last one included. Default: all. */
  readonly endLine?: InputOf<WorkspaceTools, "read_file">["endLine"];
  /** Of the first line, the character to start with, from 1: to go on in a line that was cut. Default: 1. */
  readonly startColumn?: InputOf<WorkspaceTools, "read_file">["startColumn"];
  /** Most bytes of text: whole lines, or a part of the first; the answer says where to read on. Default: 262144. */
  readonly maxBytes?: InputOf<WorkspaceTools, "read_file">["maxBytes"];
  /** Give a file that is no text as base64. Default: false. */
  readonly allowBinary?: InputOf<WorkspaceTools, "read_file">["allowBinary"];
}

/** What `list_directory` takes. */
interface ListDirectoryInput {
  /** The directory. Default: . */
  readonly path?: InputOf<WorkspaceTools, "list_directory">["path"];
  /** Everything below it, too, level by level. Default: false. */
  readonly recursive?: InputOf<WorkspaceTools, "list_directory">["recursive"];
  /** How deep, at most 32. Default: 8. */
  readonly maxDepth?: InputOf<WorkspaceTools, "list_directory">["maxDepth"];
  /** Also names that begin with a dot. Default: false. */
  readonly includeHidden?: InputOf<WorkspaceTools, "list_directory">["includeHidden"];
}

/** What `search_files` takes. */
interface SearchFilesInput {
  /** What to look for. */
  readonly query: InputOf<WorkspaceTools, "search_files">["query"];
  /** `path`: a glob or a part of a path; `text`: literal; `regex`: as ripgrep understands it. Case counts. */
  readonly mode: InputOf<WorkspaceTools, "search_files">["mode"];
  /** The directory or file to search. Default: . */
  readonly root?: InputOf<WorkspaceTools, "search_files">["root"];
  /** Only these files. Default: all. */
  readonly includeGlobs?: InputOf<WorkspaceTools, "search_files">["includeGlobs"];
  /** Not these; replaces `.gitignore`, node_modules, .git, dist, build, .next, .turbo, coverage. */
  readonly excludeGlobs?: InputOf<WorkspaceTools, "search_files">["excludeGlobs"];
  /** Above 250 an answer may have 1 MiB, else 64 KB. Default: 100. */
  readonly maxResults?: InputOf<WorkspaceTools, "search_files">["maxResults"];
  /** Hits to skip, with `text` and `regex`: for the next page. Default: 0. */
  readonly offset?: InputOf<WorkspaceTools, "search_files">["offset"];
  /** Lines around each hit. Default: 0. */
  readonly contextLines?: InputOf<WorkspaceTools, "search_files">["contextLines"];
}

/** What `glob` takes. */
interface GlobInput {
  /** A glob for files and folders, matched against the path below `root`. */
  readonly pattern: InputOf<WorkspaceTools, "glob">["pattern"];
  /** The directory to start from. Default: . */
  readonly root?: InputOf<WorkspaceTools, "glob">["root"];
  /** As in `search_files`. */
  readonly excludeGlobs?: InputOf<WorkspaceTools, "glob">["excludeGlobs"];
  /** Above 1000 an answer may have 1 MiB, else 64 KB. Default: 1000. */
  readonly maxResults?: InputOf<WorkspaceTools, "glob">["maxResults"];
}

/** What `create_file` takes. */
interface CreateFileInput {
  /** Must not exist. */
  readonly path: InputOf<WorkspaceTools, "create_file">["path"];
  /** Written exactly so, UTF-8. */
  readonly content: InputOf<WorkspaceTools, "create_file">["content"];
  /** Make missing directories. Default: false. */
  readonly createParentDirectories?: InputOf<WorkspaceTools, "create_file">["createParentDirectories"];
}

/** What `write_file` takes. */
interface WriteFileInput {
  /** Must exist. */
  readonly path: InputOf<WorkspaceTools, "write_file">["path"];
  /** The whole new text; encoding, byte order mark and line endings of the file are kept. */
  readonly content: InputOf<WorkspaceTools, "write_file">["content"];
  /** The proof. */
  readonly expectedSha256: InputOf<WorkspaceTools, "write_file">["expectedSha256"];
  /** `reject`, or `rebase`: merge with the newer version; a conflict is refused. Default: that of the workspace. */
  readonly onStale?: InputOf<WorkspaceTools, "write_file">["onStale"];
}

/** What `edit_file` takes. */
interface EditFileInput {
  /** The file. */
  readonly path: InputOf<WorkspaceTools, "edit_file">["path"];
  /** A list, all matched against the file as it was read; all happen or none. */
  readonly edits: InputOf<WorkspaceTools, "edit_file">["edits"];
  /** The proof. */
  readonly expectedSha256: InputOf<WorkspaceTools, "edit_file">["expectedSha256"];
  /** `reject`, or `rebase`: make the edit to the version that the sha256 names, and merge it into the newer one; a conflict is refused. Default: that of the workspace. */
  readonly onStale?: InputOf<WorkspaceTools, "edit_file">["onStale"];
}

/** What `delete_file` takes. */
interface DeleteFileInput {
  /** A file, not a directory. */
  readonly path: InputOf<WorkspaceTools, "delete_file">["path"];
  /** The proof; may be left out, since the trash has the file. */
  readonly expectedSha256?: InputOf<WorkspaceTools, "delete_file">["expectedSha256"];
  /** Not into the trash. Needs the proof or a read of the file in this session. Default: false. */
  readonly permanent?: InputOf<WorkspaceTools, "delete_file">["permanent"];
}

/** What `restore_file` takes. */
interface RestoreFileInput {
  /** `trashedTo` of the deletion, an id from `list_trash`, or the old path (its newest deletion). */
  readonly trashedPath: InputOf<WorkspaceTools, "restore_file">["trashedPath"];
  /** Where to; must not exist. Default: the old path. */
  readonly targetPath?: InputOf<WorkspaceTools, "restore_file">["targetPath"];
}

/** What `move_file` takes. */
interface MoveFileInput {
  /** From where to where. */
  readonly fromPath: InputOf<WorkspaceTools, "move_file">["fromPath"];
  /** From where to where. */
  readonly toPath: InputOf<WorkspaceTools, "move_file">["toPath"];
  /** The proof for the file that is moved. */
  readonly expectedSha256: InputOf<WorkspaceTools, "move_file">["expectedSha256"];
  /** Make missing directories. Default: false. */
  readonly createParentDirectories?: InputOf<WorkspaceTools, "move_file">["createParentDirectories"];
  /** Put a file that is at `toPath` into the trash. Default: false. */
  readonly overwrite?: InputOf<WorkspaceTools, "move_file">["overwrite"];
}

/** What `apply_patch` takes. */
interface ApplyPatchInput {
  /** `*** Begin Patch` … `*** End Patch`, or a unified diff. Context and removed lines must be in the file exactly once. */
  readonly patch: InputOf<WorkspaceTools, "apply_patch">["patch"];
  /** Path → sha256; `""` says that the file must not exist; one that does is `stale_file`. A path that is left out is not checked; a key that fits no path of the patch is then refused. Default: {}. */
  readonly expectedSha256ByPath?: InputOf<WorkspaceTools, "apply_patch">["expectedSha256ByPath"];
  /** All files or none; `false`: file by file, stop at the first failure, keep what is done, which the refusal lists. Default: true. */
  readonly atomic?: InputOf<WorkspaceTools, "apply_patch">["atomic"];
  /** As in `edit_file`. Default: that of the workspace. */
  readonly onStale?: InputOf<WorkspaceTools, "apply_patch">["onStale"];
}

/** What `audit_log` takes. */
interface AuditLogInput {
  /** Only this file. Default: all. */
  readonly path?: InputOf<WorkspaceTools, "audit_log">["path"];
  /** Only this session. Default: all. */
  readonly sessionId?: InputOf<WorkspaceTools, "audit_log">["sessionId"];
  /** `true`: only changes, `false`: only refusals. Default: both. */
  readonly success?: InputOf<WorkspaceTools, "audit_log">["success"];
  /** With the diff of each file. Default: false. */
  readonly includeDiff?: InputOf<WorkspaceTools, "audit_log">["includeDiff"];
  /** Only older records: for the next page. */
  readonly beforeSeq?: InputOf<WorkspaceTools, "audit_log">["beforeSeq"];
  /** Above 250 an answer may have 1 MiB, else 64 KB. Default: 50. */
  readonly maxResults?: InputOf<WorkspaceTools, "audit_log">["maxResults"];
}

/** What `list_trash` takes. */
interface ListTrashInput {
  /** Only deletions of this path. Default: all. */
  readonly path?: InputOf<WorkspaceTools, "list_trash">["path"];
  /** Default: 100. */
  readonly maxResults?: InputOf<WorkspaceTools, "list_trash">["maxResults"];
}
