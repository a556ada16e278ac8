// The field's own words: names and phrases that the sources do not use, each with the word that they use in its place.

/** Folders of src/ that hold to them. The list only grows. */
export const PLAIN_FOLDERS = ["check", "cli", "core", "edit", "fleet", "kernel", "processes", "search", "workspaces"];

const PLAIN: readonly (readonly [avoided: RegExp, use: string])[] = [
  [/\b(?:MOST|LEAST|LONGEST|DEEPEST)(?:_[A-Z_]+)?\b/, "MAX_…, MIN_…"],
  [/\b(?:most|least|longest|deepest)(?:Bytes|Ms|Lines|Chars|Files|Depth)\b/, "max…, min…"],
  [/\bapart\b|\b[Ii]solates?\b/, "worker"],
  [/\b[Ss]lips?\b/, "typo"],
  [/\binWords\b|[Ll]egible/, "format…"],
  [/\bkept in mind\b|\bkeep in mind\b/, "cache"],
  [/\bone by one\b|\btak(?:e|es|ing) turns\b/, "queue, serialize"],
  [/\btold\b|\btell(?:s|ing)?Words\b|\bheard\b|\bheed/, "record, log, handle"],
  [/\bhow long it is good\b/, "max age, expiry"],
  [/\bforeign\b|\bmade here\b/, "untrusted, trusted"],
  [/\bleft over\b/, "recover, roll forward"],
  [/\b[Ff]ates?\b|\b[Dd]eeds?\b/, "undo status, undo summary"],
  [/\b[Kk]eyings?\b/, "session scope"],
  [/\bcounted\(/, "plural()"],
  [/\botherWork|\bother work now and then\b/, "yieldEvery"],
  [/\bLOOKING\b/, "auth pool"],
  [/\bunmoved\b|\bisSettled\b/, "race check"],
  [/\bends with us\b|\bendsWithUs\b/, "kill on exit"],
];

/** A first line that asks a question does not say what the file is. */
const HEADER = /^(?:#!.*\n)?\/\/ (?:What|Which|How|Whose|Why)\b/;

/** Every line of a source file that uses another word, with the word to use. */
export function otherWordsIn(file: string, text: string): string[] {
  const header = HEADER.test(text) ? [`${file}:1 says what the file is: a noun, or a verb`] : [];
  const lines = text.split("\n").flatMap((line, n) => {
    const found = PLAIN.flatMap(([avoided, use]) => {
      const word = avoided.exec(line)?.[0];
      return word === undefined ? [] : [`${file}:${n + 1} ${word}: use ${use}`];
    });
    return found;
  });
  return [...header, ...lines];
}
