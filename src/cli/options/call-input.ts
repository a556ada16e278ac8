// The input of a tool call as it comes to the command line: JSON as an argument, from stdin or from a file.
import { readFileSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { printable } from "../../core/printable.ts";
import type { Terminal } from "./command.ts";
import { UsageError } from "./usage.ts";

/** `-` is stdin, `@FILE` a file, anything else the JSON itself. */
export async function inputOf(terminal: Terminal, argument: string): Promise<unknown> {
  const { text, from } = await textAt(terminal, argument);
  try {
    return JSON.parse(text);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new UsageError(
      `The input ${from} is not JSON: ${printable(why)}`,
      `Write the parameters as one JSON object, as in '{"path":"README.md"}', or give - or @FILE.`,
    );
  }
}

const MOST_BYTES = 64 * 1024 * 1024;

async function textAt(terminal: Terminal, argument: string): Promise<{ text: string; from: string }> {
  if (argument === "-") return { text: await stdinOf(terminal), from: "from stdin" };
  if (argument.startsWith("@"))
    return { text: fileAt(terminal, argument.slice(1)), from: `in ${printable(argument.slice(1))}` };
  return { text: argument, from: "given" };
}

async function stdinOf({ stdin }: Terminal): Promise<string> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of stdin) {
    const bytes = Buffer.from(part);
    size += bytes.length;
    if (size > MOST_BYTES) throw new UsageError(`The input from stdin is larger than ${MOST_BYTES} bytes.`);
    parts.push(bytes);
  }
  return Buffer.concat(parts).toString("utf8");
}

function fileAt({ cwd }: Terminal, file: string): string {
  const path = resolve(cwd, file);
  try {
    if (statSync(path).size > MOST_BYTES)
      throw new UsageError(`${printable(file)} is larger than ${MOST_BYTES} bytes.`);
    return readFileSync(path, "utf8");
  } catch (error) {
    if (error instanceof UsageError) throw error;
    const { code } = error as NodeJS.ErrnoException;
    throw new UsageError(`The input file ${printable(file)} cannot be read: ${code ?? error}.`);
  }
}
