// A state from before there were records: used only when every part of it is what stet would have made, and nothing is unfinished.
import fs from "node:fs";
import { Refusal } from "../../../core/failure.ts";
import { shown } from "../../../core/printable.ts";
import { errnoOf } from "../errno.ts";
import { closeQuietly } from "../io.ts";
import { listSegments, openToRead } from "../journal/segment.ts";
import { verifyJournal } from "../journal/verify.ts";
import type { Dir } from "../paths/pin.ts";
import type { Root } from "../paths/root.ts";
import { isMoving } from "../state/directory.ts";
import { isOurs } from "../state/file.ts";

/** The names that each directory of a state may hold, all of them regular files. */
const PARTS: Readonly<Record<string, RegExp>> = {
  journal: /^(?:\d{16}\.(?:jsonl|heads\.json|heads\.tmp)|checkpoints\.jsonl|torn-[\w.-]+\.bin)$/,
  objects: /^[0-9a-f]{64}$/,
  pending: /^try-[12]$/,
  lock: /^(?:lock-kind(?:\.[0-9a-f]{16})?|held|waiting|(?:clock|dead)-[0-9a-f]{16}(?:\.\w+)?)$/,
};
const FILES: ReadonlySet<string> = new Set(["format", ".gitignore"]);

/** How many entries it has; or what is not as stet makes it, to complete "It …". */
export type LookedThrough = { readonly entries: number } | { readonly odd: string };

export async function lookThrough(root: Root, base: Dir): Promise<LookedThrough> {
  // First what costs nothing.
  const odd = oddityIn(root, base) ?? foreignBirthOf(root, base) ?? tooLong(root, base);
  return odd === null ? entriesOf(root, base) : { odd };
}

function oddityIn(root: Root, base: Dir): string | null {
  const found = fs.readdirSync(base.self);
  if (found.some(isMoving)) return "holds an adoption that was not finished";
  for (const name of found) {
    if (FILES.has(name)) {
      if (!isPlainFile(base.at(name))) return `holds ${shown(name)}, which is not a regular file of this user`;
      continue;
    }
    const names = Object.hasOwn(PARTS, name) ? PARTS[name] : undefined;
    if (names === undefined) return `holds ${shown(name)}, which stet did not put there`;
    const odd = oddityOf(root, base, name, names);
    if (odd !== null) return odd;
  }
  return null;
}

/**
 * The first segment is made when the first entry is written, and no archive, copy or clone can say when a file was made.
 * What else a state holds means nothing without entries.
 */
function foreignBirthOf(root: Root, base: Dir): string | null {
  const journal = entered(root, base, "journal");
  if (journal === null) return null;
  try {
    const [first] = listSegments(journal.self);
    if (first === undefined) return null;
    const file = openToRead(first.path);
    if (file === null) return null;
    try {
      const at = firstTimeIn(file.fd);
      // Where a system does not tell, it gives the time of the last change instead, which no archive can set either.
      const isThen = at !== undefined && Math.abs(file.stat.birthtimeMs - at) < SAME_MOMENT_MS;
      return isThen ? null : "does not seem to have been made here";
    } finally {
      closeQuietly(file.fd);
    }
  } finally {
    journal.close();
  }
}

/** Every command would wait for it, reads included: who wants to wait adopts it. */
function tooLong(root: Root, base: Dir): string | null {
  const journal = entered(root, base, "journal");
  if (journal === null) return null;
  try {
    const bytes = listSegments(journal.self).reduce((sum, { path }) => sum + (sizeOf(path) ?? 0), 0);
    return bytes > MOST_BYTES ? `has a journal of ${Math.ceil(bytes / 2 ** 20)} MiB, which takes long to check` : null;
  } finally {
    journal.close();
  }
}

const sizeOf = (path: string) => fs.lstatSync(path, { throwIfNoEntry: false })?.size;

/** About 150,000 entries, which are checked in some two seconds. */
const MOST_BYTES = 64 * 2 ** 20;

/** Between the look at the clock and the making of the file lies next to nothing, also on a machine that is busy. */
const SAME_MOMENT_MS = 60_000;

function firstTimeIn(fd: number): number | undefined {
  const start = Buffer.alloc(256);
  const text = start.toString("latin1", 0, fs.readSync(fd, start, 0, start.length, 0));
  const at = Date.parse(/^\{"seq":1,"at":"([^"]{24})"/.exec(text)?.[1] ?? "");
  return Number.isNaN(at) ? undefined : at;
}

function oddityOf(root: Root, base: Dir, part: string, names: RegExp): string | null {
  const dir = entered(root, base, part);
  if (dir === null) return `holds ${shown(part)}, which is not a directory`;
  try {
    if (!isOurs(dir.stat())) return `holds ${shown(part)}, which belongs to another user`;
    for (const name of fs.readdirSync(dir.self)) {
      if (part === "pending" && !names.test(name)) return "holds a change that was not finished";
      if (names.test(name) && isPlainFile(dir.at(name), part)) continue;
      return `holds ${shown(`${part}/${name}`)}, which stet did not put there`;
    }
    return null;
  } finally {
    dir.close();
  }
}

async function entriesOf(root: Root, base: Dir): Promise<LookedThrough> {
  const journal = entered(root, base, "journal");
  if (journal === null) return { entries: 0 };
  try {
    const { problems, head } = await verifyJournal(journal.self);
    return problems[0] === undefined ? { entries: head.seq } : damagedBy(problems[0].problem);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return damagedBy(error.failure.message);
  } finally {
    journal.close();
  }
}

function damagedBy(problem: string): LookedThrough {
  return { odd: `has a damaged journal: ${problem.replace(/\.$/, "")}` };
}

function entered(root: Root, base: Dir, name: string): Dir | null {
  try {
    return root.pinning.enter(base, name);
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
    return null;
  }
}

/**
 * A version that was replaced is the very file that lay in the workspace, with the owner that it had there; a lock by hard
 * links is made of them.
 */
function isPlainFile(path: string, part?: string): boolean {
  const stat = fs.lstatSync(path, { throwIfNoEntry: false });
  if (stat === undefined) return true;
  return stat.isFile() && (part === "objects" || isOurs(stat)) && (part === "lock" || stat.nlink === 1);
}
