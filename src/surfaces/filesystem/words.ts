// Refusals in the words of this dialect: the catalogue's, but for advice that depends on its tools and parameters.
import type { Dialect, Rows } from "../refusal.ts";

const rows: Rows = {
  place_taken: ({ tool }) => (tool.name === "write_file" ? undefined : { next: "Choose another path." }),
  directory_read: ({ offers }) => (offers("list_directory") ? undefined : { next: "Name a file in it." }),
  binary: ({ tool, offers }) =>
    tool.effect === "read" && offers("read_media_file") ? { next: "Read it with read_media_file." } : undefined,
  not_found: ({ details, offers }) =>
    details.missing !== undefined && offers("create_directory")
      ? { next: "Correct the path, or make the directory with create_directory." }
      : undefined,
  changed_since: ({ tool }) => ({
    next: `Read the file again, and ${tool.name === "move_file" ? "move it if that is still right" : "make your change to what is there now"}.`,
  }),
  search_timeout: () => ({ next: "Use a simpler pattern, or name a directory below." }),
  search_cancelled: () => ({ next: "Call it again if it is still wanted." }),
};

export const WORDS: Dialect = { rows };
