// The page's end of the worker: lines that are in sight are sent once, and shown in colour when they come back.
import { signal } from "@preact/signals";
import type { Token } from "./worker.ts";

const known = new Map<string, readonly Token[]>();
const asked = new Set<string>();
const waiting = new Map<string, Set<string>>();
const MOST_KNOWN = 50_000;

/** Grows when colours have come. */
export const coloured = signal(0);

const WORKER = "/page/worker.js";

/** Scripts come from one address only; the policy holds the page to it. */
function workerAddress(): string {
  const types = (window as unknown as { trustedTypes?: TrustedTypes }).trustedTypes;
  const policy = types?.createPolicy("stet", { createScriptURL: () => WORKER });
  return (policy?.createScriptURL(WORKER) ?? WORKER) as string;
}

interface TrustedTypes {
  createPolicy(name: string, rules: { createScriptURL(): string }): { createScriptURL(text: string): unknown };
}

let worker: Worker | undefined;

function workerNow(): Worker {
  if (worker !== undefined) return worker;
  worker = new Worker(workerAddress(), { type: "module" });
  worker.addEventListener("message", ({ data }) => {
    const { language, lines, tokens } = data as Record<"language", string> & {
      lines: readonly string[];
      tokens: readonly (readonly Token[])[];
    };
    if (known.size > MOST_KNOWN) known.clear();
    for (const [n, line] of lines.entries()) known.set(keyOf(line, language), tokens[n]!);
    coloured.value++;
  });
  return worker;
}

/** Whether nothing more will come for this line. */
export function hasColours(line: string, language: string | undefined): boolean {
  return language === undefined || line.trim() === "" || known.has(keyOf(line, language));
}

/** In colour where that is known; else plain, and in colour soon. */
export function tokensOf(line: string, language: string | undefined): readonly Token[] {
  const uncoloured: readonly Token[] = [["", line]];
  if (language === undefined || line.trim() === "") return uncoloured;
  const key = keyOf(line, language);
  const found = known.get(key);
  if (found !== undefined) return found;
  if (!asked.has(key)) {
    if (waiting.size === 0) setTimeout(flush, 0);
    asked.add(key);
    const lines = waiting.get(language) ?? new Set();
    waiting.set(language, lines.add(line));
  }
  return uncoloured;
}

function flush(): void {
  if (asked.size > MOST_KNOWN) asked.clear();
  for (const [language, lines] of waiting) workerNow().postMessage({ language, lines: [...lines] });
  waiting.clear();
}

function keyOf(line: string, language: string): string {
  return `${language}\n${line}`;
}
