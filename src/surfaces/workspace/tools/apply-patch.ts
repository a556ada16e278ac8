// apply_patch: a patch over many files, as one change unless the caller wants one change per file.
import { z } from "zod";
import { Refusal } from "../../../core/failure.ts";
import type { FilePlan } from "../../../edit/patch/index.ts";
import { apart } from "../../../kernel/apart/apart.ts";
import type { Changed, ChangeOptions } from "../../../kernel/session.ts";
import { displayable } from "../../../kernel/text/text.ts";
import { damageIn } from "../../answer/damage.ts";
import { deadlineOf } from "../../deadline-of.ts";
import { defineTool, type ToolContext } from "../../tool.ts";
import { type ChangedFileData, changedFile, changedLine } from "../changed-file.ts";
import { diffOf, onStaleField, rebasedFields } from "../fields.ts";
import { type PatchText, planSteps, type Step, stepsOf } from "../patch-steps.ts";
import { trashIdOf } from "../trash.ts";

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
      .describe('path to sha256 from read_file; "" for a new file. Paths left out are not checked'),
    atomic: z.boolean().default(true).describe("false: file by file, stop at the first failure, keep what is done"),
    onStale: onStaleField,
  }),
  aliases: { input: "patch", diff: "patch", expected_sha256_by_path: "expectedSha256ByPath" },
  output: z.object({ atomic: z.boolean(), hunkCount: z.int(), changedFiles: z.array(changedFile) }),
  refused: "Patch rejected, no file changed.",
  async run(context, { patch: text, expectedSha256ByPath, atomic, onStale }) {
    const maxFiles = context.session.workspace.limits.maxFilesPerChange;
    const patch = { text, maxFiles };
    const outline = await apart("outlinePatch", [text, { maxFiles }], deadlineOf(context.session, context.call));
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
    return changedFiles.map(changedLine).join("\n");
  },
});

async function apply(
  context: ToolContext,
  patch: PatchText,
  steps: readonly Step[],
  options: ChangeOptions,
): Promise<ChangedFileData[]> {
  let plans: readonly FilePlan[] = [];
  const targets = steps.flatMap(({ places }) => places.map(({ target }) => target));
  const changed = await context.session.change(
    targets,
    async (current) => {
      const planned = await planSteps(patch, steps, current, deadlineOf(context.session, options));
      plans = planned.plans;
      return planned.nexts;
    },
    options,
  );
  context.warn(
    ...changed.warnings,
    ...plans.flatMap(({ path, warnings }) => warnings.map((each) => `${path}: ${each}`)),
    ...(await damageIn(context.session, changed.files)),
  );
  return report(context, plans, changed, options);
}

async function oneByOne(
  context: ToolContext,
  patch: PatchText,
  steps: readonly Step[],
  options: ChangeOptions,
): Promise<ChangedFileData[]> {
  const done: ChangedFileData[] = [];
  for (const step of steps) {
    try {
      done.push(...(await apply(context, patch, [step], options)));
    } catch (error) {
      if (!(error instanceof Refusal) || done.length === 0) throw error;
      const { kind, message, path, suggestedAction, details, recoverable } = error.failure;
      throw new Refusal(kind, message, {
        path: path ?? step.section.path,
        ...(suggestedAction !== undefined && { next: suggestedAction }),
        recoverable,
        details: { ...details, atomic: false, committed: done.length, changedFiles: done },
        cause: error,
      });
    }
  }
  return done;
}

/** One record per section: a move is one, although it changes two paths. */
async function report(
  { session }: ToolContext,
  plans: readonly FilePlan[],
  { files, entry }: Changed,
  call: ChangeOptions,
): Promise<ChangedFileData[]> {
  const records: ChangedFileData[] = [];
  let next = 0;
  for (const { op: operation } of plans) {
    const file = files[next++]!;
    const arrived = operation === "move" ? files[next++]! : file;
    const trashedTo = operation === "delete" ? await trashIdOf(session, entry, file.path) : undefined;
    const names = { fromPath: file.path, toPath: arrived.path, maxBytes: session.workspace.limits.diffBytes };
    const moved = async () => {
      const texts = [file.beforeText ?? "", arrived.afterText ?? ""] as const;
      return displayable((await apart("unifiedDiff", [...texts, names], deadlineOf(session, call))).text);
    };
    records.push({
      path: file.path,
      operation,
      ...(operation === "move" && { toPath: arrived.path }),
      ...(file.before !== null && { beforeSha256: file.before }),
      ...(arrived.after !== null && { afterSha256: arrived.after }),
      diff: operation === "move" ? await moved() : diffOf(file),
      ...(trashedTo !== undefined && { trashedTo }),
      ...rebasedFields(file),
    });
  }
  return records;
}
