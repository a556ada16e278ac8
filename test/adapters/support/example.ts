// An example runs, with the scripted model that it has, and tells what it did. In the process that has its framework loaded.
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { format } from "node:util";
import { expect, vi } from "vitest";

const folder = fileURLToPath(new URL("../../../examples/adapters/", import.meta.url));

export async function runsExample(name: string): Promise<void> {
  for (const key of ["AI_GATEWAY_API_KEY", "ANTHROPIC_API_KEY", "OPENAI_API_KEY"]) vi.stubEnv(key, "");
  const printed: string[] = [];
  const log = vi.spyOn(console, "log").mockImplementation((...args) => void printed.push(format(...args)));
  try {
    await import(join(folder, `${name}.mjs`));
  } finally {
    log.mockRestore();
    vi.unstubAllEnvs();
  }
  expect(printed).toEqual(["done", expect.stringMatching(/^example: \w+, applied$/), "Hello, stet!", "Hello, world!"]);
}
