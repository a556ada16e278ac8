// Refusals in the words of this dialect: the catalogue's, but for advice that depends on its tools and parameters.
import type { Dialect, Rows } from "../refusal.ts";

const rows: Rows = {
  not_found: ({ details, tool, offers }) => {
    if (details.missing !== undefined && tool.effect !== "read" && offers("create_directory"))
      return { next: "Correct the path, or make the directory with create_directory." };
    return { next: `Check the path${offers("list_directory") ? "; list_directory shows what is there" : ""}.` };
  },
  place_taken: ({ tool: { name } }) =>
    name === "write_file" ? undefined : { next: `Choose another ${name === "move_file" ? "destination" : "path"}.` },
  special_file: () => undefined,
  not_a_file: ({ details, tool, offers }) => {
    if (details.special !== undefined) return undefined;
    if (tool.name === "move_file") return { next: "Move the files in it one by one." };
    return {
      next: `${offers("list_directory") ? "Use list_directory to see what is in it, and name" : "Name"} a file.`,
    };
  },
  binary: ({ tool, offers }) =>
    tool.effect === "read" && offers("read_media_file") ? { next: "Read it with read_media_file." } : undefined,
  changed_since: ({ tool: { name } }) => ({
    next: `Read the file again and ${name === "move_file" ? "move it if that is still right" : "re-apply your change"}.`,
  }),
  search_timeout: () => ({ next: "Use a simpler pattern, or name a directory below." }),
  search_cancelled: () => ({ next: "Call it again if it is still wanted." }),
};

export const WORDS: Dialect = { rows };
