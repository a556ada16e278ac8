// The fields of the public search requests and the values they may have.
import { COUNT, FLAG, oneOf, type Shape, strictOptions, TEXT, TEXTS, validate } from "../api/options.ts";
import { CALL_OPTIONS } from "../kernel/options.ts";
import type { CallOptions } from "../kernel/session.ts";
import type { FindRequest } from "./glob.ts";
import type { GrepRequest } from "./grep.ts";
import type { ListRequest } from "./list.ts";

const GREP_FIELDS: Shape<GrepRequest> = {
  pattern: TEXT,
  literal: FLAG,
  caseSensitive: FLAG,
  multiline: FLAG,
  root: true,
  action: oneOf("search", "read"),
  include: TEXTS,
  exclude: TEXTS,
  type: TEXT,
  hidden: FLAG,
  gitignore: FLAG,
  recursive: FLAG,
  maxDepth: COUNT,
  before: COUNT,
  after: COUNT,
  maxFileBytes: COUNT,
  mode: oneOf("lines", "files", "count"),
  limit: COUNT,
  offset: COUNT,
  maxBytes: COUNT,
  maxLineBytes: COUNT,
  countFiles: FLAG,
};
export const GREP = strictOptions(GREP_FIELDS, ["pattern", "limit"]);
export const FIND = strictOptions<FindRequest>({
  pattern: true,
  anyDepth: FLAG,
  exclude: TEXTS,
  root: true,
  kind: oneOf("file", "directory", "any"),
  hidden: FLAG,
  gitignore: FLAG,
  followLinks: FLAG,
  maxDepth: COUNT,
  order: oneOf("path", "newest"),
  limit: COUNT,
  maxBytes: COUNT,
});
export const LIST = strictOptions<ListRequest>({ depth: COUNT, hidden: FLAG, limit: COUNT, lookDeeper: FLAG });

export function checkRequest(request: unknown, names: typeof GREP, call: CallOptions): void {
  validate(request, names, { noObject: "What is searched for is given as an object.", noun: "field" });
  validate(call, CALL_OPTIONS);
}
