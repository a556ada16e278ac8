// edit: operations on lines that are named by their hashes, checked before anything is written.
import { Refusal } from "../../../core/failure.ts";
import { printable } from "../../../core/printable.ts";
import type { AnchorEdit, AnchorOperation, LowEntropyRule } from "../../../edit/anchors/index.ts";
import type { Current } from "../../../kernel/change/plan.ts";
import { remembering } from "../../../kernel/change/remember.ts";
import { deadlineOf } from "../../../kernel/progress.ts";
import { runInWorker } from "../../../kernel/run-in-worker.ts";
import type { CallOptions, Session } from "../../../kernel/session.ts";
import { refuse } from "../../../words/index.ts";
import { legible } from "../../shared/legible.ts";
import { defineTool } from "../../tool.ts";
import { dryRunResult, type EditDone, editResult, editText } from "../edit-report.ts";
import { type EditInput, editInput, editOutput, withOperations } from "../edit-schema.ts";
import { editDescription } from "../guidance.ts";
import { checkSafety, type Safety, safetyRefusal } from "../safety.ts";
import { rememberListed, rememberShown } from "../shown.ts";
import { changedByOthers, knownLines, requireVersion, seenBefore } from "../versions.ts";
import { type Continuity, continuityOf } from "../writers.ts";

/** How strict the tool `edit` is. */
export interface EditOptions {
  /** What to do with a bracket or a blank line as anchor. */
  readonly lowEntropy?: LowEntropyRule;
  /** `file_path` instead of `path`: accepted with a warning, or refused. */
  readonly filePath?: "warn" | "reject";
}

export function editTool(options: EditOptions = {}) {
  return defineTool({
    name: "edit",
    title: "Edit a file by anchors",
    description: editDescription,
    effect: "write",
    actions: ["edit"],
    input: editInput,
    hidden: ["file_path"],
    aliases: { file_path: "path" },
    inForm: withOperations,
    output: editOutput,
    refused: "Edit rejected, file unchanged.",

    async run({ session, call, warn }, input) {
      const { path, dry_run: dryRun, safety_check: mode } = input;
      const deprecations = deprecated(input, options);
      let planned: Plan | undefined;
      let safety: Safety | undefined;
      const changed = await session.change(
        [{ path, proof: { by: "anchors" }, action: "edit" }],
        async ([file]) => {
          planned = await plan(session, file!, input, options, call);
          const { splices, repeated } = planned.edit;
          return [{ splices, repeated }];
        },
        {
          ...call,
          dryRun,
          inspect: async ([file]) => {
            safety = await checkSafety(file!, mode);
            if (mode === "strict" && safety.status === "suspicious" && !dryRun) throw safetyRefusal(path, safety);
            return safety.warnings;
          },
        },
      );
      const [file] = changed.files;
      // As the next read will understand the bytes.
      const after = file!.afterText ?? planned!.edit.text;
      const done: EditDone = { ...planned!, after, safety: safety!, deprecations };
      const warnings = [...deprecations, ...done.edit.warnings, ...changed.warnings];
      warn(...warnings.map((warning) => legible(warning, path)));
      if (!dryRun) {
        const { text, splices, repeated } = done.edit;
        const named = { name: printable(file!.path), repeated: [...planned!.repeated, ...repeated] };
        // Where the work runs apart, two texts would take more room than planning the edit did, and so another process.
        const made = after === text ? splices : after;
        const diff = await runInWorker("anchoredDiff", [done.before, made, named], deadlineOf(session, call));
        const { path: at, before, after: sha } = file!;
        if (sha !== null && sha !== before) {
          const answer = { after, shown: diff.shown };
          warn(...(await remembering(() => rememberShown(session, { path: at, sha }, answer), true)));
        }
        return editResult(file!, done, diff);
      }
      return dryRunResult(file!, done, mode !== "strict" || done.safety.status !== "suspicious");
    },

    text: editText,
  });
}

interface Plan {
  readonly before: string;
  /** Hashes that earlier edits of this session have made doubtful. */
  readonly repeated: readonly string[];
  readonly edit: AnchorEdit;
  readonly continuity: Continuity;
}

/** Every anchor is looked up in the file as it is now. */
async function plan(
  session: Session,
  file: Current,
  input: EditInput,
  { lowEntropy }: EditOptions,
  call: CallOptions,
): Promise<Plan> {
  const { raw: path, version } = file;
  if (version === null) throw refuse("file_missing", { path, action: "edit" });
  // Some models send every parameter: an empty one is none.
  const expected = input.expected_file_version || undefined;
  await requireVersion(session, file, expected, call);
  const operations = input.operations as readonly AnchorOperation[];
  const earlier = await seenBefore(session, file);
  if (earlier !== undefined) throw await changedByOthers(session, file, { operations, earlier }, call);
  const options = { lowEntropy, ...(await knownLines(session, file.path, expected !== undefined)) };
  const before = file.text.body;
  const deadline = deadlineOf(session, call);
  const edit = await runInWorker("editByAnchors", [before, operations, options], deadline).catch(
    async (error: unknown) => {
      await remembering(() => rememberListed(session, file, error));
      throw error;
    },
  );
  return { before, repeated: options.repeated ?? [], edit, continuity: await continuityOf(session, file, call) };
}

function deprecated({ path, file_path: given }: EditInput, { filePath = "warn" }: EditOptions): readonly string[] {
  if (given === undefined) return [];
  if (filePath === "reject") {
    throw new Refusal("invalid_input", "`file_path` is deprecated and rejected here.", {
      next: "Name the file with `path`.",
      details: { suggested_action: "provide_path" },
    });
  }
  const used = given === path ? "" : " `path` was given too and was used.";
  return [`\`file_path\` is deprecated: use \`path\` instead.${used}`];
}
