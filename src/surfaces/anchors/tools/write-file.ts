// write_file: a whole file at once, after which every anchor of it is a new one.
import * as z from "zod";
import { Refusal } from "../../../core/failure.ts";
import { printable } from "../../../core/printable.ts";
import { type AnchorIndex, anchorIndex, fileVersion } from "../../../edit/anchors/index.ts";
import { startOf } from "../../../edit/anchors/lines.ts";
import { countLines, skipLines } from "../../../edit/text/lines.ts";
import type { Current } from "../../../kernel/change/plan.ts";
import { remembering } from "../../../kernel/change/remember.ts";
import { deadlineOf } from "../../../kernel/progress.ts";
import { runInWorker } from "../../../kernel/run-in-worker.ts";
import type { Session, Target } from "../../../kernel/session.ts";
import { plural } from "../../../words/plural.ts";
import { changeFile, overwriteNotes } from "../../shared/change.ts";
import { legibleDiff } from "../../shared/legible.ts";
import { defineTool } from "../../tool.ts";
import { writerLine } from "../edit-report.ts";
import { rememberShown } from "../shown.ts";
import { requireVersion } from "../versions.ts";
import { type Continuity, continuityOf } from "../writers.ts";

const MAX_ANCHORS = 50;
const MAX_PREVIEWS = 10;
const PREVIEW_LENGTH = 60;
const HINT =
  "Anchors read before are invalid. Use the anchors given here, or read_file(hashes: true), before you edit.";
const UNCHANGED = "Nothing was written and no anchor has changed. The anchors given here are those of the file.";

export const writeFile = defineTool({
  name: "write_file",
  title: "Write a file",
  description:
    "Create a file or replace all of its text. Invalidates every anchor of it: small changes are better made by anchors.",
  effect: "write",
  actions: ["write", "create"],
  aliases: { file_path: "path" },
  input: z.object({
    path: z.string().describe("File to write; missing directories are made."),
    content: z.string().describe("The whole new text."),
    expected_file_version: z.string().optional().describe("Version the write is for (fv_…). Another one is refused."),
  }),
  output: z.object({
    path: z.string(),
    created: z.boolean(),
    bytes: z.number(),
    lines: z.number(),
    file_version: z.string(),
    sha256: z.string(),
    anchors_invalidated: z.boolean(),
    hint: z.string(),
    preview_anchors: z.array(z.object({ line: z.number(), hash: z.string(), content_preview: z.string() })),
    anchors: z.array(z.string()),
    baseline_continuity: z.enum(["clean", "mixed"]),
    writer_type: z.literal("write_file"),
  }),
  refused: "Write rejected, file unchanged.",

  async run(context, { path, content, expected_file_version }) {
    const { session, call, warn } = context;
    const expected = expected_file_version || undefined;
    let continuity: Continuity = "clean";
    const file = await changeFile(context, await targetAt(session, path, expected), async (now) => {
      if (now.version === null && expected !== undefined) throw vanished(path, expected);
      if (now.version !== null) session.workspace.policy.check(now.path, "write");
      await requireVersion(session, now, expected, call);
      continuity = await continuityOf(session, now, call);
      const replaced = now.version === null ? "" : now.text.body;
      const repeated = await runInWorker("repeatedIn", [replaced, content], deadlineOf(session, call));
      const notes = expected === undefined ? await unseenOverwrite(session, now) : [];
      return { next: { body: content, repeated }, notes };
    });
    const after = file.afterText ?? content;
    // Only the lines that are told: a line's anchor does not depend on other lines.
    const index = anchorIndex(after.slice(0, skipLines(after, 0, MAX_ANCHORS)));
    const given = index.lines.slice(0, MAX_ANCHORS).map(({ number }) => number);
    const { path: at, before, after: sha } = file;
    const changed = sha !== before;
    // The numbers of older reads are void.
    if (before !== null && sha !== null && changed) {
      const answer = { after, shown: given.slice(0, MAX_PREVIEWS), isNumbered: true };
      warn(...(await remembering(() => rememberShown(session, { path: at, sha }, answer), true)));
    }
    return {
      path: at,
      created: before === null,
      bytes: file.size,
      lines: countLines(after),
      file_version: fileVersion(after),
      sha256: sha!,
      anchors_invalidated: changed,
      hint: changed ? HINT : UNCHANGED,
      preview_anchors: previews(index),
      anchors: given.map((line) => index.anchor(line)),
      baseline_continuity: continuity,
      writer_type: "write_file" as const,
    };
  },

  text({ path, created, bytes, lines, file_version, anchors_invalidated, hint, preview_anchors, ...data }) {
    const shown = preview_anchors.map(({ line, hash, content_preview }) => `${line}#${hash}|${content_preview}`);
    const more = lines > shown.length ? [`... (${plural(lines - shown.length, "more line")})`] : [];
    const extent = `${plural(lines, "line")}, ${plural(bytes, "byte")}.`;
    const done = created ? "Created" : anchors_invalidated ? "Wrote" : "No change in";
    const version = `${anchors_invalidated ? "New file" : "File"} version: ${file_version}`;
    return [`${done} ${printable(path)}: ${extent}`, version, writerLine(data), hint, ...shown, ...more].join("\n");
  },
});

/** A path that leads nowhere good is refused, and recorded, by the change itself. */
async function targetAt({ workspace }: Session, path: string, expected: string | undefined): Promise<Target> {
  const at = await workspace.backend.resolve(path).catch((error: unknown) => {
    if (error instanceof Refusal) return undefined;
    throw error;
  });
  // A version is checked like an anchor, against the file under the lock.
  const by = expected !== undefined ? "anchors" : workspace.strict ? "session" : "waived";
  return { path, action: at?.kind === "absent" ? "create" : "write", createParents: true, proof: { by } };
}

function previews(index: AnchorIndex) {
  return index.lines.slice(0, MAX_PREVIEWS).map(({ number, hash, text }) => {
    return { line: number, hash, content_preview: legibleDiff(startOf(text, PREVIEW_LENGTH)) };
  });
}

/** Without a version to check, the caller may overwrite what it never saw: allowed here, and said. */
async function unseenOverwrite(session: Session, file: Current): Promise<readonly string[]> {
  const seen = await session.ledger.get(file.path);
  if (seen !== undefined) return overwriteNotes(session, file, seen);
  if (file.version === null || file.version.size === 0) return [];
  return [`${printable(file.raw)} was overwritten without having been read in this session; the old version is kept.`];
}

function vanished(path: string, expected: string): Refusal {
  return new Refusal("not_found", `${printable(path)} does not exist, so it is not version ${expected}.`, {
    path,
    next: "Leave out expected_file_version to create the file.",
  });
}
