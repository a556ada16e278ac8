// Placeholders in the place of text, such as `// ... rest of the code`. Light and without a parser: it can always be told.
import { omissionPlaceholders } from "../edit/text/omission.ts";
import { languageOf } from "./language.ts";
import { type Edit, MOST_OF_A_KIND, type Warning } from "./warning.ts";

/** Those that the old text has not. */
export function omissionWarnings({ path, before, after }: Edit): Warning[] {
  const found = omissionPlaceholders(after ?? "");
  if (found.length === 0) return [];
  const old = new Set(omissionPlaceholders(before ?? "").map(({ text }) => text));
  const created = (before ?? "").trim() === "";
  const severity = languageOf(path).kind === "code" && !created ? "suspicious" : "note";
  return found
    .filter(({ text }) => !old.has(text))
    .slice(0, MOST_OF_A_KIND)
    .map(({ line, text }) => ({
      check: "omission_placeholder",
      line,
      message: `${JSON.stringify(text)} stands for text that was left out`,
      severity,
    }));
}
