// stet/check: finds damage in an edited text. Texts in, warnings out; nothing is read or written.

export { checkEdit, type Edit } from "./check-edit.ts";
export { type LintItem, lint } from "./lint.ts";
export { type SyntaxReport, syntaxErrors } from "./syntax.ts";
export { type Check, type Warning, warningText } from "./warning.ts";
