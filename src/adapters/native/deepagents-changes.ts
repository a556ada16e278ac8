// Changes by the storage of deepagents. It has no way to warn: what other tools only warn of is refused.
import { Refusal } from "../../core/failure.ts";
import { versionOf } from "../../core/version.ts";
import type { Proof } from "../../kernel/change/gate.ts";
import { deadlineOf } from "../../kernel/progress.ts";
import { runInWorker } from "../../kernel/run-in-worker.ts";
import type { CallOptions, Session } from "../../kernel/session.ts";
import { wholeText } from "../../surfaces/shared/change.ts";

/** Replaces text that is there exactly once, or everywhere. Returns how often. */
export async function replaceIn(
  session: Session,
  path: string,
  edit: { readonly oldText: string; readonly newText: string; readonly replaceAll: boolean },
  call: CallOptions,
): Promise<number> {
  if (edit.oldText === "")
    throw new Refusal("empty_old_text", "The text to replace is empty.", { path, next: "Give the text to replace." });
  await refuseOtherNames(session, path, "edit", call);
  let replaced = 0;
  await session.change(
    [{ path, proof: { by: "session" }, action: "edit" }],
    async ([file]) => {
      const deadline = deadlineOf(session, call);
      const { splices, applied } = await runInWorker("replaceEdits", [file!.text.body, [edit]], deadline);
      replaced = applied[0]!.occurrences;
      return [{ splices }];
    },
    call,
  );
  return replaced;
}

export interface Written {
  readonly content: string | Uint8Array;
  readonly proof: Proof;
  /** Lines that were never shown may not be lost. */
  readonly strict: boolean;
}

/** Creates a file, or replaces one that was shown. Returns the sha256 of what is there then. */
export async function writeTo(
  session: Session,
  path: string,
  { content, proof, strict }: Written,
  call: CallOptions,
): Promise<string> {
  await refuseOtherNames(session, path, "write", call);
  const { files } = await session.change(
    [{ path, proof, action: "write", createParents: true }],
    ([file]) => {
      if (typeof content === "string") return [wholeText(file!, content).next];
      return [{ version: versionOf([Buffer.from(content)], file!.version?.mode) }];
    },
    strict ? { ...call, strict } : call,
  );
  return files[0]!.after!;
}

/** A change separates the names of a file; the storage could not say so afterwards. */
async function refuseOtherNames(
  session: Session,
  path: string,
  action: "write" | "edit",
  call: CallOptions,
): Promise<void> {
  const { hardLinks } = await session.resolve(path, action, call);
  if (hardLinks === 0) return;
  throw new Refusal("unsupported", `${path} has other names (hard links), which would keep the old content.`, {
    path,
    next: "Copy it to a new file, and change that.",
  });
}
