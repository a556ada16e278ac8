// The log in JSON names no path, also not where a defect does.
import { readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { observed } from "../../src/cli/open/observed.ts";
import type { Given, Terminal } from "../../src/cli/options/command.ts";

it("a defect is logged with where it is in the source, and without any path", () => {
  const lines: string[] = [];
  const terminal = { err: (text: string) => void lines.push(text) } as unknown as Terminal;
  const given = { values: { "log-json": true }, positionals: [] } as unknown as Given;
  const { http, factory } = observed(terminal, given, {} as Parameters<typeof observed>[2]);
  const secret = join(tmpdir(), "acme", "se cret.txt");
  const errors = [() => readFileSync(secret), () => JSON.parse("{ secret/x.txt"), () => decodeURI("%")].map((fail) => {
    try {
      fail();
    } catch (error) {
      return error as Error;
    }
    throw new Error("It did not fail.");
  });
  errors.push(new Error("C:\\acme\\secret.txt is acme/secret"));
  for (const error of errors) {
    http.onError?.(error);
    factory.log?.(`stet failed in read_file: ${error.stack}`);
  }
  expect(lines).toHaveLength(8);
  for (const line of lines) {
    const { message, stack = message } = JSON.parse(line);
    expect(`${message}${stack}`).not.toMatch(/[\\/]|secret|acme/);
    expect(stack).toMatch(/observed\.test\.ts:\d+:\d+/);
  }
  expect(JSON.parse(lines[0]!).message).toBe("ENOENT: no such file or directory, open …");
});
