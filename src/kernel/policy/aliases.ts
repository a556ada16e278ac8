// Spellings: the other names under which some file system, or some eye, would take a path for a protected one.
import { folded } from "../../core/paths.ts";
import { type Names, namesOf } from "./globs.ts";

/** Every spelling of a path that deny rules look at: in lower case, and defused. */
export function spellingsOf(path: string): readonly Names[] {
  if (/^(?:[\w/-]|\.(?=[\w-]))*$/.test(path)) return [namesOf(path.toLowerCase())];
  const lower = namesOf(folded(path));
  const defused = namesOf(path.normalize("NFKC").replaceAll("\\", "/")).map(defuse);
  return lower.join("/") === defused.join("/") ? [lower] : [lower, defused];
}

/** What Windows makes of a long name, without the counter: ".git" → "git", ".mcp.json" → "mcp.jso". */
export function shortFormOf(name: string): string | undefined {
  const [literal = ""] = name.toLowerCase().split(/[*?[]/);
  if (!literal.startsWith(".") && !/^.{9}|\..{4}/.test(literal)) return;
  const [, base = "", extension = ""] = /^\.*(.*?)(?:\.([^.]*))?$/.exec(literal) ?? [];
  return base.replaceAll(/[. ]/g, "").slice(0, 6) + (extension && `.${extension.slice(0, 3)}`);
}

/** The forms that "git~1" or "env~1.loc" may be the short name of; none for a name without a counter. */
export function formsOfShort(name: string): readonly string[] {
  if (!name.includes("~")) return NO_FORMS;
  const [, base, extension = ""] = /^([^.~]{1,6})~\d+(\.[^.]{1,3})?$/u.exec(name) ?? [];
  return base === undefined ? NO_FORMS : [base, base + extension];
}

const NO_FORMS: readonly string[] = [];

function defuse(name: string): string {
  // Some file systems ignore these characters, and no eye sees them.
  const visible = name.replaceAll(/[\p{Default_Ignorable_Code_Point}\p{Cf}\p{Cc}]/gu, "").toLowerCase();
  // Windows: "name:stream" is the file itself or a part of it, and dots and spaces at the end do not count.
  return visible.replace(/(?<=.):.*$/su, "").replace(/[. ]+$/u, "") || visible;
}
