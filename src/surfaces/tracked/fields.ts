// Parameters that the tools of this surface share.
import * as z from "zod";

export const filePath = z.string().describe("Path in the workspace, relative or absolute.");

/** What models call these parameters elsewhere. */
export const PATH_ALIASES = { path: "file_path", filename: "file_path" } as const;
