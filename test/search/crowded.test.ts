// Searches at the limit of open files: refused as busy, or right; and the process lives to answer the next one.
import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { directoryWith } from "../support/workspace.ts";

const WORKER = fileURLToPath(new URL("crowded-worker.mjs", import.meta.url));

interface Line {
  readonly left: number | "enough";
  readonly answers: readonly { readonly ok: boolean; readonly text: string }[];
}

describe.skipIf(process.platform === "win32")("with no file left to open", () => {
  it.each([
    ["ripgrep", "(EMFILE)"],
    ["javascript", "(ERR_WORKER_INIT_FAILED)"],
  ])("%s says that it is busy, and goes on", async (engine, reason) => {
    const root = directoryWith({ "a.txt": "needle\n", "below/b.txt": "needle\n" });
    const limited = `ulimit -n 256 && exec "${process.execPath}" "${WORKER}" "${root}" "${engine}"`;
    const env = { ...process.env, STET_SEARCH: engine };
    const { stdout } = await promisify(execFile)("sh", ["-c", limited], { env });
    const lines = stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as Line);
    expect(lines.length).toBeGreaterThan(2);
    const answers = lines.flatMap((line) => line.answers);
    for (const { ok, text } of answers)
      expect(text).toMatch(ok ? /^2 matches/ : /too (many files are|much is) open.* Wait a moment, then retry\.$/);
    expect(answers.map(({ text }) => text)).toContainEqual(expect.stringContaining(reason));
    expect(lines.at(-1)?.answers).toEqual([expect.objectContaining({ ok: true })]);
  });
});
