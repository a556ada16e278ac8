// Search (`stet/search`): names in a directory, files by glob, lines by pattern, on any backend, never past what the policy allows.
export { type FindRequest, type FindResult, type FoundFile, findFiles } from "./glob.ts";
export { type GrepHit, type GrepRequest, type GrepResult, grep } from "./grep.ts";
export { type ListedEntry, type ListRequest, type ListResult, listDirectory } from "./list.ts";
export type { SearchRequest } from "./scope.ts";
