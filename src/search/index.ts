// Search: files by glob, lines by pattern, on any backend, never past what the policy allows.
export { type FindRequest, type FindResult, type FoundFile, findFiles } from "./find.ts";
export { improper } from "./globs/valid.ts";
export { type GrepHit, type GrepRequest, type GrepResult, grep } from "./grep.ts";
