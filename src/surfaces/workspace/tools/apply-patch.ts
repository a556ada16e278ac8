// apply_patch: a patch over many files, as one change unless the caller wants one change per file.
import * as z from "zod";
import { Refusal, reworded } from "../../../core/failure.ts";
import { deadlineOf } from "../../../kernel/progress.ts";
import { runInWorker } from "../../../kernel/run-in-worker.ts";
import type { Changed, ChangeOptions } from "../../../kernel/session.ts";
import { damageIn } from "../../shared/damage.ts";
import { shownDiff } from "../../shared/legible.ts";
import { defineTool, type ToolContext } from "../../tool.ts";
import {
  type ChangedFileData,
  changedFile,
  changedLine,
  onStaleField,
  proofFor,
  rebasedFields,
  trashIdOf,
} from "../fields.ts";
import { type PatchText, placesOf, planSteps, type Step, stepsOf } from "../patch-steps.ts";

export const apply_patch = defineTool({
  name: "apply_patch",
  title: "Apply patch",
  description: `Change several files at once, all or none.
*** Begin Patch
*** Add File: a.txt
+line
*** Update File: b.txt
@@
 context
-old
+new
*** Delete File: c.txt
*** Move File: d.txt -> e.txt
*** End Patch
Context and removed lines must be in the file exactly once. Unified diffs are accepted too.`,
  effect: "destroy",
  actions: ["edit", "create", "delete", "move"],
  input: z.object({
    patch: z.string().min(1),
    expectedSha256ByPath: z
      .record(z.string().meta({ title: "path" }), z.string().meta({ title: "sha256" }))
      .default({})
      .describe('path to the sha256 that reading it gave; "" for a new file. Paths left out are not checked'),
    atomic: z.boolean().default(true).describe("false: file by file, stop at the first failure, keep what is done"),
    onStale: onStaleField,
  }),
  aliases: { input: "patch", diff: "patch", expected_sha256_by_path: "expectedSha256ByPath" },
  output: z.object({ atomic: z.boolean(), hunkCount: z.int(), changedFiles: z.array(changedFile) }),
  refused: "Patch rejected, no file changed.",
  async run(context, { patch: text, expectedSha256ByPath, atomic, onStale }) {
    const maxFiles = context.session.workspace.limits.maxFilesPerChange;
    const patch = { text, maxFiles };
    const outline = await runInWorker("outlinePatch", [text, { maxFiles }], deadlineOf(context.session, context.call));
    const steps = await stepsOf(context, outline, expectedSha256ByPath);
    const hunkCount = outline.reduce((sum, { hunks }) => sum + hunks, 0);
    const details = { atomic, hunkCount, operations: outline.length };
    const options = { ...context.call, details, ...(onStale !== undefined && { onStale }) };
    const changedFiles = atomic
      ? await apply(context, patch, steps, options)
      : await oneByOne(context, patch, steps, options);
    return { atomic, hunkCount, changedFiles };
  },
  text({ changedFiles }) {
    return changedFiles.map(changedLine).join("\n") || "No change: the patch leaves every file as it was.";
  },
});

async function apply(
  context: ToolContext,
  patch: PatchText,
  steps: readonly Step[],
  options: ChangeOptions,
): Promise<ChangedFileData[]> {
  let warnings: readonly string[] = [];
  const targets = placesOf(steps).map(({ target }) => target);
  const changed = await context.session.change(
    targets,
    async (current) => {
      const planned = await planSteps(patch, steps, current, deadlineOf(context.session, options));
      warnings = planned.warnings;
      return planned.nexts;
    },
    options,
  );
  context.warn(...changed.warnings, ...warnings, ...(await damageIn(context.session, changed.files)));
  return report(context, changed, options);
}

async function oneByOne(
  context: ToolContext,
  patch: PatchText,
  steps: readonly Step[],
  options: ChangeOptions,
): Promise<ChangedFileData[]> {
  const done: ChangedFileData[] = [];
  for (const ofFile of byFile(steps)) {
    try {
      done.push(...(await apply(context, patch, ofFile, options)));
    } catch (error) {
      if (!(error instanceof Refusal) || done.length === 0) throw error;
      const { path = ofFile[0]!.section.path, details } = error.failure;
      const partly = { atomic: false, committed: done.length, changedFiles: done };
      throw reworded(error, { path, details: { ...details, ...partly } });
    }
  }
  return done;
}

/** Sections that share a file belong together: a proof is of the file before all of them. */
function byFile(steps: readonly Step[]): Step[][] {
  let groups: Step[][] = [];
  for (const step of steps) {
    const shares = (group: Step[]): boolean => group.some(({ places }) => places.some((p) => step.places.includes(p)));
    const together = [...groups.filter(shares).flat(), step].sort((a, b) => a.number - b.number);
    groups = [...groups.filter((group) => !shares(group)), together];
  }
  return groups;
}

/** One record per file, by what became of it: a move is one, although it changes two paths. */
async function report(
  { session }: ToolContext,
  { files, entry }: Changed,
  call: ChangeOptions,
): Promise<ChangedFileData[]> {
  const records: ChangedFileData[] = [];
  const left = new Set(files.map(({ movedFrom }) => movedFrom));
  for (const file of files) {
    if (file.after === null && left.has(file.path)) continue;
    const source = files.find(({ path }) => path === file.movedFrom) ?? file;
    const isMove = source !== file;
    const operation = isMove ? "move" : file.before === null ? "add" : file.after === null ? "delete" : "update";
    const isGone = operation === "delete" || (isMove && file.before !== null);
    const trashedTo = isGone ? await trashIdOf(session, entry, file.path) : undefined;
    const names = { fromPath: source.path, toPath: file.path, maxBytes: session.workspace.limits.diffBytes };
    const texts = [source.beforeText ?? "", file.afterText ?? ""] as const;
    const moved = () => runInWorker("unifiedDiff", [...texts, names], deadlineOf(session, call));
    const afterSha256 = proofFor(file, entry);
    const diff = isMove ? await moved() : file.diff;
    records.push({
      path: source.path,
      operation,
      ...(isMove && { toPath: file.path }),
      ...(source.before !== null && { beforeSha256: source.before }),
      ...(afterSha256 !== undefined && { afterSha256 }),
      diff: shownDiff({ diff, path: file.path, after: file.after }),
      ...(trashedTo !== undefined && { trashedTo }),
      ...rebasedFields(source),
    });
  }
  return records;
}
