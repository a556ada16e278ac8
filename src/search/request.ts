// The fields of the public search requests and the values they may have.
import { optionNames, refuseUnknownOptions } from "../core/options/option-names.ts";
import { COUNT, FLAG, oneOf, TEXT, TEXTS } from "../core/options/option-values.ts";
import { CALL_OPTIONS } from "../kernel/option-names.ts";
import type { CallOptions } from "../kernel/session.ts";
import type { FindRequest } from "./glob.ts";
import type { GrepRequest } from "./grep.ts";
import type { ListRequest } from "./list.ts";

export const GREP = optionNames<GrepRequest>({
  pattern: true,
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
  limit: true,
  offset: true,
  maxBytes: COUNT,
  maxLineBytes: COUNT,
  countFiles: FLAG,
});
export const FIND = optionNames<FindRequest>({
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
export const LIST = optionNames<ListRequest>({ depth: COUNT, hidden: FLAG, limit: COUNT, lookDeeper: FLAG });

export function checkRequest(request: unknown, names: typeof GREP, call: CallOptions): void {
  refuseUnknownOptions(request, names, { noObject: "What is searched for is given as an object.", noun: "field" });
  refuseUnknownOptions(call, CALL_OPTIONS);
}
