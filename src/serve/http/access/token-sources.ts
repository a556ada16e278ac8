// Where an owner keeps tokens: a file of lines, or one value from the environment.
import { statSync } from "node:fs";
import { Refusal } from "../../../core/failure.ts";
import { readRegularFile, Unfit } from "../../regular-file.ts";
import { complaintAbout, type GivenToken } from "./given-tokens.ts";
import { refuseToken } from "./tokens.ts";

export interface TokenSources {
  /** A file with one token a line, or "name token" a line; lines that start with # are comments. */
  readonly file?: string | undefined;
  /** One token, from an environment variable. */
  readonly value?: string | undefined;
}

/** The tokens that an owner keeps in a file and in the environment, for `tokens` of the HTTP options. */
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
    throw new Refusal("invalid_input", `The token file ${file} has no token.`, {
      path: file,
      next: `Put one into it: openssl rand -hex 32 > ${file}`,
    });
  const tokens = lines.map(({ words, number }) => {
    if (words.length === 1) return { token: words[0]! };
    if (words.length === 2) return { name: words[0]!, token: words[1]! };
    throw new Refusal("invalid_input", `Line ${number} of the token file ${file} is not "token" or "name token".`, {
      path: file,
    });
  });
  const complaint = complaintAbout(tokens);
  if (complaint === undefined) return tokens;
  throw refuseToken(`Line ${lines[complaint.index]!.number} of the token file ${file}: ${complaint.what}.`, file);
}

/** Whether anybody else than its owner can read or change the file; false where that cannot be told. */
export function isOpenToOthers(file: string): boolean {
  const { mode } = statSync(file);
  return process.platform !== "win32" && (mode & 0o077) !== 0;
}

const MOST_BYTES = 1024 * 1024;

function contentOf(file: string): string {
  try {
    return readRegularFile(file, MOST_BYTES).toString();
  } catch (error) {
    if (error instanceof Unfit)
      throw new Refusal("io_error", `The token file ${file} ${error.message}.`, {
        path: file,
        next: "Name a file of lines, each a token.",
      });
    const { code } = error as NodeJS.ErrnoException;
    throw new Refusal(
      code === "ENOENT" ? "not_found" : "io_error",
      `The token file ${file} cannot be read (${code}).`,
      {
        path: file,
        cause: error,
      },
    );
  }
}
