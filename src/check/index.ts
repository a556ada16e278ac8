// stet/check: finds damage in an edited text. Texts in, warnings out; nothing is read or written.

export { checkEdit, examineEdit } from "./check-edit.ts";
export { type LintItem, lint, syntaxErrors } from "./syntax.ts";
export { type Warning, warningText } from "./warning.ts";
