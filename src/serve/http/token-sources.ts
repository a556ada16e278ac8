// Where an owner keeps tokens: a file of lines, or one value from the environment.
import { readFileSync } from "node:fs";
import { Refusal } from "../../kernel/failure.ts";
import type { GivenToken } from "./tokens.ts";

export interface TokenSources {
  /** A file with one token a line, or "name token" a line; lines that start with # are comments. */
  readonly file?: string | undefined;
  /** One token, from an environment variable. */
  readonly value?: string | undefined;
}

export function readTokens({ file, value }: TokenSources): readonly GivenToken[] {
  const fromFile = file === undefined ? [] : tokensInFile(file);
  return value === undefined || value.trim() === "" ? fromFile : [...fromFile, { token: value.trim() }];
}

function tokensInFile(file: string): readonly GivenToken[] {
  const lines = contentOf(file)
    .split(/\r?\n/)
    .map((text, index) => ({ words: text.trim().split(/\s+/), number: index + 1 }))
    .filter(({ words }) => words[0] !== "" && !words[0]!.startsWith("#"));
  if (lines.length === 0)
    throw new Refusal("invalid_input", "The token file has no token.", {
      path: file,
      next: `Put one into it: openssl rand -hex 32 > ${file}`,
    });
  return lines.map(({ words, number }) => {
    if (words.length === 1) return { token: words[0]! };
    if (words.length === 2) return { name: words[0]!, token: words[1]! };
    throw new Refusal("invalid_input", `Line ${number} of the token file is not "token" or "name token".`, {
      path: file,
    });
  });
}

function contentOf(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new Refusal(code === "ENOENT" ? "not_found" : "io_error", `The token file cannot be read (${code}).`, {
      path: file,
      cause: error,
    });
  }
}
