// Six simultaneous edits of different lines in each of twenty files, as models send them: all 120 must be there.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Refusal } from "stet";
import { describe, expect, it } from "vitest";
import { directoryWith, workspaceIn } from "../support/workspace.ts";

const FILES = Array.from({ length: 20 }, (_, i) => `file${i}.txt`);
const LINES = Array.from({ length: 6 }, (_, i) => `line ${i}`);
const TEXT = `${LINES.join("\nbetween\n")}\n`;

function replaceLine(line: string, by: string) {
  return ({ body }: { body: string }) => {
    const start = body.indexOf(line);
    if (start === -1 || body.indexOf(line, start + 1) !== -1) throw new Refusal("old_text_not_found", line);
    return [{ start, end: start + line.length, text: by }];
  };
}

function kept(root: string): number {
  return FILES.flatMap((file) => {
    const text = readFileSync(join(root, file), "utf8");
    return LINES.filter((_, i) => text.includes(`edited ${i}`));
  }).length;
}

describe("120 parallel edits of different lines, 20 files, one process", () => {
  it("one session: all are kept", async () => {
    const root = directoryWith(Object.fromEntries(FILES.map((file) => [file, TEXT])));
    const session = workspaceIn(root).session();
    for (const file of FILES) await session.read(file);
    const edits = FILES.flatMap((file) => LINES.map((line, i) => session.edit(file, replaceLine(line, `edited ${i}`))));
    await Promise.all(edits);
    expect(kept(root)).toBe(120);
  });

  it("120 sessions that all name the version they read: rebase keeps all, reject loses none silently", async () => {
    for (const onStale of ["rebase", "reject"] as const) {
      const root = directoryWith(Object.fromEntries(FILES.map((file) => [file, TEXT])));
      const workspace = workspaceIn(root, { onStale });
      const { sha } = await workspace.session().read(FILES[0]!);
      const edits = FILES.flatMap((file) =>
        LINES.map((line, i) =>
          workspace.session().edit(file, replaceLine(line, `edited ${i}`), { expectedSha256: sha }),
        ),
      );
      const done = (await Promise.allSettled(edits)).filter(({ status }) => status === "fulfilled").length;
      expect(done).toBe(onStale === "rebase" ? 120 : 20);
      expect(kept(root)).toBe(done);
    }
  });
});
