// Whole directories: stet keeps files, so what is done to a directory is one change of all that lies below it.
import type { Path } from "../../core/backend.ts";
import { Refusal } from "../../core/failure.ts";
import type { Proof } from "../../kernel/change/gate.ts";
import type { CallOptions, Session, Target } from "../../kernel/session.ts";
import { listDirectory } from "../../search/index.ts";

/** Deeper than any tree that people make. */
const DEEPEST = 128;

/** What goes to the trash can be brought back, so it need not have been read. */
const WAIVED: Proof = { by: "waived" };

/** A file, or all files of a directory, in one change; they can be restored. */
export async function deleteTree(session: Session, path: string, call: CallOptions): Promise<void> {
  if ((await session.workspace.backend.resolve(path, { link: true })).kind !== "directory") {
    await session.delete(path, { ...call, proof: WAIVED });
    return;
  }
  const files = await filesBelow(session, path, call);
  const targets = files.map((file): Target => ({ path: file, proof: WAIVED, action: "delete", link: true }));
  await session.change(targets, (current) => current.map(() => null), call);
}

/** A file, or all files of a directory, under another name, in one change. */
export async function moveTree(session: Session, from: string, to: string, call: CallOptions): Promise<void> {
  const source = await session.resolve(from, "move", call);
  if (source.kind !== "directory") {
    await session.move(from, to, { ...call, proof: WAIVED, createParents: true });
    return;
  }
  const under = to.replace(/(?<=[^/])\/+$/, "");
  const { path: goal } = await session.resolve(under, "move", call);
  if (`${goal}/`.startsWith(`${source.path}/`))
    throw new Refusal("invalid_path", `${from} cannot be moved into itself.`, {
      path: to,
      next: "Choose another place.",
    });
  const files = await filesBelow(session, from, call);
  const targets = files.flatMap((file): Target[] => [
    { path: file, proof: WAIVED, action: "move", link: true },
    { path: under + file.slice(source.path.length), proof: { by: "absence" }, action: "move", createParents: true },
  ]);
  await session.change(
    targets,
    (current) =>
      current.map((_file, n) => {
        if (n % 2 === 0) return null;
        const { version, path } = current[n - 1]!;
        return version === null ? undefined : { version, movedFrom: path };
      }),
    call,
  );
}

/** Refuses the root, an empty directory, and more than one change may have. */
async function filesBelow(session: Session, path: string, call: CallOptions): Promise<readonly Path[]> {
  const limit = session.workspace.limits.maxFilesPerChange;
  const listed = await listDirectory(session, path, { depth: DEEPEST, hidden: true, limit }, call);
  if (listed.path === "")
    throw new Refusal("permission_denied", "The root of the workspace stays.", { path, next: "Name what lies in it." });
  const files = listed.entries.filter(({ type }) => type !== "directory");
  if (files.length > 0) return files.map((file) => file.path);
  throw new Refusal("unsupported", `${path} is an empty directory, and only files are kept.`, {
    path,
    next: "Leave it as it is.",
  });
}
