// stet/check: finds damage in an edited text. Takes texts, returns warnings, reads and writes no files.

export { checkEdit, examineEdit } from "./check-edit.ts";
export { type LintItem, lint, syntaxErrors } from "./syntax.ts";
export { type Warning, warningText } from "./warning.ts";
