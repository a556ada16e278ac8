// The same meaning in text that is ASCII only, where small sets do: most sources are, and are searched much faster.
import { border } from "./looks.ts";
import { PERL } from "./perl-class.ts";
import { RUST } from "./sets.ts";

const SPACE = "\\t-\\r\\x20";

const SMALLER: readonly (readonly [set: string, inAscii: string])[] = [
  [border("b", RUST.word), "(?:\\b)"],
  [border("b", PERL.word), "(?:\\b)"],
  [RUST.word, "\\w"],
  [PERL.word, "\\w"],
  [RUST.space, SPACE],
  [PERL.space, SPACE],
  [RUST.digit, "0-9"],
];

export function inAscii(source: string): string {
  return SMALLER.reduce((text, [set, smaller]) => text.replaceAll(set, () => smaller), source);
}
