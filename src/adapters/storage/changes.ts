// How a storage of a framework changes files. It has no way to warn: what would only be warned of is refused.
import { Refusal } from "../../core/failure.ts";
import { versionOf } from "../../core/version.ts";
import type { Proof } from "../../kernel/change/gate.ts";
import type { Current, Next } from "../../kernel/change/plan.ts";
import { runInWorker } from "../../kernel/run-in-worker.ts";
import type { CallOptions, Session } from "../../kernel/session.ts";
import { withEolOf } from "../../kernel/text/text.ts";
import { wholeText } from "../../surfaces/answer/whole-text.ts";
import { deadlineOf } from "../../surfaces/deadline-of.ts";

/** Replaces text that is there exactly once, or everywhere. Gives how often. */
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
      const { splices, applied } = await runInWorker(
        "replaceEdits",
        [file!.text.body, [edit]],
        deadlineOf(session, call),
      );
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
  readonly createParents: boolean;
  /** What the policy is asked for; to write, unless given. */
  readonly action?: "write" | "edit";
  /** The permissions of bytes that are written; those that the file has, unless given. */
  readonly mode?: number | undefined;
  /** Looks at the file as it is now; throws to stop it. */
  readonly check?: (now: Current) => void;
}

/** A new file, or a whole new content for one that was shown. Gives the sha256 of what is there then. */
export async function writeTo(session: Session, path: string, written: Written, call: CallOptions): Promise<string> {
  const { content, proof, strict, createParents, action = "write", mode, check } = written;
  await refuseOtherNames(session, path, action, call);
  const { files } = await session.change(
    [{ path, proof, action, createParents }],
    ([file]) => {
      check?.(file!);
      return [nextOf(file!, content, mode)];
    },
    { ...call, ...(strict && { strict }) },
  );
  return files[0]!.after!;
}

/** Adds to the end of a file that was shown, with its line ends. Makes it where there is none. */
export async function appendTo(
  session: Session,
  path: string,
  content: string | Uint8Array,
  call: CallOptions,
): Promise<void> {
  await refuseOtherNames(session, path, "edit", call);
  await session.change(
    [{ path, proof: { by: "session" }, action: "edit", createParents: true }],
    ([file]) => {
      const { version } = file!;
      if (version === null) return [nextOf(file!, content)];
      if (typeof content !== "string")
        return [{ version: versionOf([...version.parts, Buffer.from(content)], version.mode) }];
      const { text } = file!;
      const end = text.body.length;
      return [{ splices: [{ start: end, end, text: withEolOf(text, content) }] }];
    },
    call,
  );
}

function nextOf(file: Current, content: string | Uint8Array, mode = file.version?.mode): Next {
  if (typeof content === "string") return wholeText(file, content);
  return { version: versionOf([Buffer.from(content)], mode) };
}

/** A change separates the names of a file, of which nothing could be said afterwards. */
export async function refuseOtherNames(
  session: Session,
  path: string,
  action: "write" | "edit" | "move",
  call: CallOptions,
): Promise<void> {
  const { hardLinks } = await session.resolve(path, action, call);
  if (hardLinks === 0) return;
  throw new Refusal("unsupported", `${path} has other names (hard links), which would keep the old content.`, {
    path,
    next: "Copy it to a new file, and change that.",
  });
}
