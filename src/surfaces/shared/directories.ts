// Whole directories: stet keeps files, so what is done to a directory is one change of all that lies below it.
import type { Path } from "../../core/backend.ts";
import { Refusal } from "../../core/failure.ts";
import type { Proof } from "../../kernel/change/gate.ts";
import { deadlineOf } from "../../kernel/progress.ts";
import type { CallOptions, Session, Target } from "../../kernel/session.ts";
import { refuse } from "../../words/index.ts";

/** Deeper than any tree that people make. */
const MAX_DEPTH = 128;
/** Directories count too, so it is far above the number of files that one change may have. */
const MAX_ENTRIES = 100_000;

/** What goes to the trash can be brought back, so it need not have been read. */
const WAIVED: Proof = { by: "waived" };

/** A file, or all files of a directory, in one change; they can be restored. */
export async function deleteTree(session: Session, path: string, call: CallOptions): Promise<void> {
  if ((await session.workspace.backend.resolve(path, { link: true })).kind !== "directory") {
    await session.delete(path, { ...call, proof: WAIVED });
    return;
  }
  const files = await below(session, path, "delete", call);
  if (files.length === 0) throw onlyFiles(path);
  const targets = files.map((file): Target => ({ path: file, proof: WAIVED, action: "delete", link: true }));
  await session.change(targets, (current) => current.map(() => null), call);
}

/** A file, or all files of a directory, under another name, in one change. */
export async function moveTree(session: Session, from: string, to: string, call: CallOptions): Promise<void> {
  const { backend } = session.workspace;
  if ((await backend.resolve(from, { link: true })).kind !== "directory") {
    await session.move(from, to, { ...call, proof: WAIVED, createParents: true });
    return;
  }
  const source = await session.resolve(from, "move", call);
  const { path: goal, kind } = await session.resolve(to.replace(/(?<=[^/])\/+$/, ""), "move", call);
  if (`${goal}/`.startsWith(`${source.path}/`))
    throw new Refusal("invalid_path", `${from} cannot be moved into itself.`, {
      path: to,
      next: "Choose another place.",
    });
  if (kind !== "absent") throw refuse("place_taken", { path: to, isFile: kind === "file" });
  const files = await below(session, from, "move", call);
  if (files.length === 0) throw onlyFiles(from);
  const moved = (path: Path): Path => (goal + path.slice(source.path.length)) as Path;
  const targets = files.flatMap((path): Target[] => [
    { path, proof: WAIVED, action: "move", link: true },
    { path: moved(path), proof: { by: "absence" }, action: "move", createParents: true },
  ]);
  await session.change(
    targets,
    (current) =>
      current.map((_file, n) => {
        if (n % 2 === 0) return null;
        const { version, path } = current[n - 1]!;
        if (version === null)
          throw new Refusal("stale_file", `${path} was moved or deleted meanwhile.`, { path, next: "Try again." });
        return { version, movedFrom: path };
      }),
    call,
  );
}

/** All files in it, or a refusal: for the root, and where not all of it can be seen or taken along. */
async function below(
  session: Session,
  path: string,
  action: "delete" | "move",
  call: CallOptions,
): Promise<readonly Path[]> {
  const { backend, policy } = session.workspace;
  const { path: top, via } = await backend.resolve(path);
  if (top === "")
    throw new Refusal("permission_denied", "The root of the workspace stays.", { path, next: "Name what lies in it." });
  for (const name of [top, ...via]) if (!policy.allows(name, "list")) policy.check(name, action);
  const deadline = deadlineOf(session, call);
  const files: Path[] = [];
  let seen = 0;
  let level: readonly Path[] = [top];
  for (let depth = 0; level.length > 0; depth++) {
    const next: Path[] = [];
    for (const directory of level)
      for await (const entry of backend.list(directory)) {
        deadline.check();
        if (++seen > MAX_ENTRIES || depth === MAX_DEPTH) throw tooMuch(path);
        if (!policy.allows(entry.path, "list")) throw hides(path);
        if (entry.kind === "directory") next.push(entry.path);
        else files.push(entry.path);
      }
    level = next;
  }
  return files;
}

function onlyFiles(path: string): Refusal {
  return new Refusal("unsupported", `${path} is an empty directory, and only files are kept.`, {
    path,
    next: "Leave it as it is.",
  });
}

function tooMuch(path: string): Refusal {
  return new Refusal("too_many_files", `${path} has more below it than one change may have.`, {
    path,
    next: "Name a directory that lies in it.",
  });
}

/** Which name that is stays hidden. */
function hides(path: string): Refusal {
  return new Refusal("permission_denied", `${path} holds something that the policy of the workspace hides.`, {
    path,
    next: "Name the files in it that you can see.",
  });
}
