// The file systems of Mastra's workspaces, as far as stet is one (`WorkspaceFilesystem` of `@mastra/core/workspace`).
import { FLAG, strictOptions } from "../../core/options.ts";

/** What stet as a file system of Mastra can be told. */
export interface MastraFilesystemOptions {
  /**
   * True: a file that was read may be replaced as a whole, although Mastra does not tell which of its lines the model was
   * shown. False unless given; what the agent wrote itself it may always replace.
   */
  readonly overwrite?: boolean | undefined;
}

export const MASTRA_OPTIONS = strictOptions<MastraFilesystemOptions>({ overwrite: FLAG });

/** One name in a directory. */
export interface MastraEntry {
  /** Relative to the directory that was asked for. */
  name: string;
  /** What it is; a link counts as a file. */
  type: "file" | "directory";
  /** Bytes of a file. */
  size?: number;
  /** It is a link, which is not followed. */
  isSymlink?: boolean;
}

/** One name below a directory. */
export interface MastraWalkEntry extends MastraEntry {
  /** Relative to the directory that was asked for. */
  path: string;
}

/** What of a directory is wanted. */
export interface MastraListOptions {
  /** Also what lies further below. */
  recursive?: boolean;
  /** Only files that end in one of these. */
  extension?: string | string[];
  /** How far below. */
  maxDepth?: number;
}

/** How far to walk. */
export interface MastraWalkOptions {
  /** 1: only what lies directly in it. */
  maxDepth?: number;
  /** Also names that begin with a dot. */
  includeHidden?: boolean;
}

/** What to search for. */
export interface MastraGrep {
  /** A regular expression. */
  pattern: string;
  /** Where. */
  path: string;
  /** Whether large and small letters differ. */
  caseSensitive: boolean;
  /** Also in files whose names begin with a dot. */
  includeHidden: boolean;
  /** The most in one file. */
  maxCountPerFile?: number;
  /** The most in all. */
  maxTotalMatches?: number;
  /** Lines around each match. */
  contextLines?: number;
}

/** The matches in one file. */
export interface MastraGrepResult {
  /** Relative to where the search began. */
  path: string;
  /** In the order of lines. */
  matches: MastraMatch[];
}

/** One match. */
export interface MastraMatch {
  /** Counted from 1. */
  line: number;
  /** Counted from 0. */
  column: number;
  /** The whole line. */
  text: string;
  /** Lines before it. */
  before?: string[];
  /** Lines after it. */
  after?: string[];
}

/** About a file or a directory. */
export interface MastraStat {
  /** Without its directory. */
  name: string;
  /** From the root of the workspace on. */
  path: string;
  /** What it is. */
  type: "file" | "directory";
  /** Bytes of a file. */
  size: number;
  /** As `modifiedAt`: nothing else is known. */
  createdAt: Date;
  /** When it was last changed. */
  modifiedAt: Date;
  /** Of a file. */
  mimeType?: string;
}

interface Overwriting {
  overwrite?: boolean;
  recursive?: boolean;
}

interface Writing extends Overwriting {
  expectedMtime?: Date;
}

interface Removing {
  recursive?: boolean;
  force?: boolean;
}

/** stet as a `WorkspaceFilesystem`. Refusals are thrown, as Mastra's own errors where it has one. */
export interface MastraFilesystem {
  /** One for each session. */
  readonly id: string;
  /** For people. */
  readonly name: string;
  /** What it is. */
  readonly provider: string;
  /** Always ready. */
  status: "ready";
  /** None: paths begin at the root of the workspace. By asking for it, Mastra's tools tell that they begin. */
  readonly basePath?: string;
  /** The policy of the workspace allows no changes. */
  readonly readOnly: boolean;
  /** The same for programs, which look at it without being about to change anything. */
  getInfo(): { id: string; name: string; provider: string; status: "ready"; readOnly: boolean };
  /** For the model: how these files are changed. */
  getInstructions(): string;
  /** Text keeps its form when it is written back; bytes without an encoding. */
  readFile(path: string, options?: { encoding?: BufferEncoding }): Promise<string | Buffer>;
  /** A new file, or a new content for one that was read. */
  writeFile(path: string, content: string | Uint8Array, options?: Writing): Promise<void>;
  /** Adds to the end of a file that was read or written, with its line ends, or makes it. */
  appendFile(path: string, content: string | Uint8Array): Promise<void>;
  /** Into the trash. */
  deleteFile(path: string, options?: Removing): Promise<void>;
  /** What was at the destination is kept; it must be what the agent wrote, or with `overwrite` of the storage read. */
  copyFile(src: string, dest: string, options?: Overwriting): Promise<void>;
  /** What was at the destination is kept; it must be what the agent wrote, or with `overwrite` of the storage read. */
  moveFile(src: string, dest: string, options?: Overwriting): Promise<void>;
  /** Remembered until a file is in it: only files are kept. */
  mkdir(path: string, options?: { recursive?: boolean }): Promise<void>;
  /** With `recursive`: all files below, in one change, into the trash. */
  rmdir(path: string, options?: Removing): Promise<void>;
  /** What is in a directory. */
  readdir(path: string, options?: MastraListOptions): Promise<MastraEntry[]>;
  /** All below a directory. */
  walk(path: string, options?: MastraWalkOptions): Promise<MastraWalkEntry[]>;
  /** Lines by pattern. */
  grep(options: MastraGrep): Promise<MastraGrepResult[]>;
  /** Whether there is something. */
  exists(path: string): Promise<boolean>;
  /** What there is. */
  stat(path: string): Promise<MastraStat>;
}
