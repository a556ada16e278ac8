// The surface `filesystem`: the tools of @modelcontextprotocol/server-filesystem, over files of which every version is kept.
import type { FilesystemCalls } from "../calls.ts";
import type { Surface, Typed } from "../tool.ts";
import * as change from "./tools/change.ts";
import * as directories from "./tools/directories.ts";
import * as info from "./tools/info.ts";
import * as list from "./tools/list.ts";
import { read_media_file } from "./tools/media.ts";
import * as read from "./tools/read.ts";
import { WORDS } from "./words.ts";

const tools = [
  read.read_file,
  read.read_text_file,
  read_media_file,
  read.read_multiple_files,
  change.write_file,
  change.edit_file,
  directories.create_directory,
  list.list_directory,
  list.list_directory_with_sizes,
  list.directory_tree,
  directories.move_file,
  list.search_files,
  info.get_file_info,
  info.list_allowed_directories,
] as const;
export type FilesystemTools = typeof tools;

/** The tools of the reference server: what they replace is kept, and nothing is written over what another changed. */
export const filesystem: Surface<FilesystemTools> & Typed<FilesystemCalls> = {
  name: "filesystem",
  title: "The tools of the reference server",
  guidance: "A file that changed since you read it is refused: read it again. What a change replaces is kept.",
  tools,
  words: WORDS,
};
