// Types of the storage of deepagents, as far as stet is one (`BackendProtocolV2`), and its options.
import { atLeast, strictOptions } from "../../api/options.ts";

/** Options of stet as the storage of deepagents. */
export interface DeepagentsOptions {
  /**
   * The most bytes of a text in one read, 60,000 unless given. For programs that set `toolTokenLimitBeforeEvict` of
   * deepagents: twice that limit, so that deepagents cuts nothing off that counts as shown.
   */
  readonly pageBytes?: number | undefined;
}

/** With less, what deepagents adds to a page takes the place of its lines. */
const FEWEST = 1000;

export const DEEPAGENTS_OPTIONS = strictOptions<DeepagentsOptions>({ pageBytes: atLeast(FEWEST) });

/** What was refused, in words for the model. */
export interface Failed {
  error: string;
}

export interface FileInfo {
  path: string;
  is_dir: boolean;
  size: number;
  modified_at: string;
}

interface FileData {
  content: string | Uint8Array;
  mimeType: string;
  created_at: string;
  modified_at: string;
}

export interface Page {
  content: string | Uint8Array;
  mimeType: string;
  totalLines?: number;
  startLine?: number;
  endLine?: number;
  nextOffset?: number;
}

interface Done {
  path: string;
  filesUpdate: null;
}

/** Of deepagents: it has no words for it. */
export type FileOperationError = "file_not_found" | "permission_denied" | "is_directory" | "invalid_path";

export interface Uploaded {
  path: string;
  error: FileOperationError | null;
}

export interface Downloaded extends Uploaded {
  content: Uint8Array | null;
}

/** As `BackendProtocolV2` of deepagents has it. Nothing is thrown for what a model asked: refusals are in `error`. */
export interface DeepagentsBackend {
  /** What lies directly in a directory. */
  ls(path: string): Promise<Failed | { files: FileInfo[] }>;
  /** Lines of a text, which count as shown from then on; all bytes of anything else. */
  read(path: string, offset?: number, limit?: number): Promise<Failed | Page>;
  /** All of a file, for programs: it does not count as shown. */
  readRaw(path: string): Promise<Failed | { data: FileData }>;
  /** A new file, or a whole new text for one that was shown as a whole. */
  write(path: string, content: string): Promise<Failed | Done>;
  /** Replaces text in a file that was shown, and has not changed since. */
  edit(
    path: string,
    oldText: string,
    newText: string,
    replaceAll?: boolean,
  ): Promise<Failed | (Done & { occurrences: number })>;
  /** Into the trash, a directory with all that lies below it. */
  delete(path: string): Promise<Failed | Done>;
  /** Lines that hold a text. */
  grep(
    pattern: string,
    path?: string | null,
    glob?: string | null,
    maxCount?: number | null,
  ): Promise<Failed | { matches: { path: string; line: number; text: string }[]; truncated: boolean }>;
  /** All of some files, for programs: they do not count as shown. */
  downloadFiles(paths: string[]): Promise<Downloaded[]>;
  /** New files, or new contents made of what was downloaded, or shown, and is still there. */
  uploadFiles(files: [string, Uint8Array][]): Promise<Uploaded[]>;
  /** Files whose names fit. */
  glob(pattern: string, path?: string): Promise<Failed | { files: FileInfo[]; truncated: boolean }>;
}
