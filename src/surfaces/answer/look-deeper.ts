// What to try when a glob finds nothing.
import { printable } from "../../core/printable.ts";
import { isAbsolute } from "../input/named-paths.ts";

export function lookDeeper(glob: string): string[] {
  if (glob.includes("**") || isAbsolute(glob)) return [];
  return [`Try ${printable(JSON.stringify(`**/${glob.replace(/^(?:\.\/)+/, "")}`))} to look in all directories below.`];
}
