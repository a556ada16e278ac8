// One file through time: its history, any version of it, the difference of any two, and pictures as pictures.
import type { Backend, Path, Sha, Version } from "../../../core/backend.ts";
import { Refusal } from "../../../core/failure.ts";
import { bytesOf } from "../../../core/version.ts";
import { toldDiff } from "../../../kernel/history/entry.ts";
import { pathInHistory } from "../../../kernel/history/journal.ts";
import { decode, displayable } from "../../../kernel/text/text.ts";
import type { Workspace } from "../../../kernel/workspace.ts";
import type { FileAnswer, FileTold, VersionAnswer, VersionLine } from "../../wire.ts";
import { Picture } from "../answer.ts";
import { numberIn, shaOf, textOf } from "../request.ts";
import { maySee, type Visit, workspaceOf } from "../visit.ts";

const PAGE = 200;
const MAX_TEXT = 2 * 1024 * 1024;
const MAX_PICTURE = 16 * 1024 * 1024;
const MAX_DIFF = 8 * 1024 * 1024;

export async function file(visit: Visit): Promise<FileAnswer> {
  const { backend } = await workspaceOf(visit);
  const path = await pathFrom(visit);
  const before = numberIn(visit.fields, "before");
  const until = before === undefined ? {} : { untilSeq: before - 1 };
  const versions: VersionLine[] = [];
  let last = 0;
  const filter = { path, outcomes: ["applied", "external"], newestFirst: true, limit: PAGE, ...until } as const;
  for await (const { seq, at, outcome, agent, tool, changes } of backend.log(filter)) {
    last = seq;
    const change = changes.find((each) => each.path === path);
    if (change === undefined) continue;
    const { from, to, toSize = 0, movedFrom } = change;
    const who = { tool, ...(agent !== undefined && { agent }) };
    versions.push({ seq, at, outcome, ...who, from, to, size: toSize, ...(movedFrom !== undefined && { movedFrom }) });
  }
  const now = await nowAt(backend, path);
  return {
    path,
    now: now === null ? null : { sha: now.sha, size: now.size },
    versions,
    ...(versions.length >= PAGE && last > 1 && { before: last }),
  };
}

export async function version(visit: Visit): Promise<VersionAnswer> {
  const found = await versionFrom(visit, "sha", MAX_DIFF);
  const text = textIn(found);
  if (text === undefined) return { size: found.size, truncated: false };
  return {
    size: found.size,
    text: displayable(text.slice(0, MAX_TEXT)),
    truncated: text.length > MAX_TEXT,
  };
}

export async function compare(visit: Visit): Promise<FileTold> {
  const { backend } = await workspaceOf(visit);
  const path = await pathFrom(visit);
  const [before, after] = [shaOf(visit.fields, "from"), shaOf(visit.fields, "to")];
  for (const sha of [before, after]) await refuseStranger(backend, path, sha);
  const names = { path, before, after, beforeSize: 0, afterSize: 0 };
  const letter = before === null ? "A" : after === null ? "D" : "M";
  const asked = { room: { bytes: 4 * MAX_DIFF }, maxBytes: MAX_DIFF, largest: MAX_DIFF };
  const told = await toldDiff(backend, { letter, ...names }, asked);
  const diff = "left" in told.diff ? { left: told.diff.left } : told.diff;
  return { letter, ...names, beforeSize: told.beforeSize, afterSize: told.afterSize, diff };
}

/** By their first bytes, whatever the file is called. Nothing that could be more than a picture. */
const PICTURES: readonly (readonly [type: string, start: RegExp])[] = [
  ["image/png", /^89504e470d0a1a0a/],
  ["image/jpeg", /^ffd8ff/],
  ["image/gif", /^47494638(?:37|39)61/],
  ["image/webp", /^52494646.{8}57454250/],
  ["image/bmp", /^424d/],
  ["image/avif", /^.{8}6674797061766966/],
];

export async function picture(visit: Visit): Promise<Picture> {
  const bytes = bytesOf(await versionFrom(visit, "sha", MAX_PICTURE));
  const start = Buffer.from(bytes.subarray(0, 16)).toString("hex");
  const found = PICTURES.find(([, kind]) => kind.test(start));
  if (found === undefined) throw new Refusal("not_text", "This version is no picture of a known kind.");
  return new Picture(found[0], bytes);
}

async function pathFrom(visit: Visit): Promise<Path> {
  const workspace = await workspaceOf(visit);
  const path = await pathInHistory(workspace.backend, textOf(visit.fields, "path"));
  if (maySee(visit, workspace, path)) return path;
  throw new Refusal("permission_denied", `${path} is hidden by the policy.`, { path, next: "Ask the owner." });
}

async function nowAt(backend: Workspace["backend"], path: Path): Promise<Version | null> {
  try {
    return await backend.read(path, { maxBytes: 64 * 1024 * 1024 });
  } catch (error) {
    if (error instanceof Refusal) return null;
    throw error;
  }
}

async function versionFrom(visit: Visit, name: string, maxBytes: number): Promise<Version> {
  const { backend } = await workspaceOf(visit);
  const path = await pathFrom(visit);
  const sha = shaOf(visit.fields, name);
  await refuseStranger(backend, path, sha);
  const found = sha === null ? null : await backend.recall(sha, { maxBytes });
  if (found !== null) return found;
  throw new Refusal("not_kept", `This version of ${path} is no longer kept.`, { path });
}

/** A path is what one may ask for; versions of other files are not to be had by it. */
async function refuseStranger(backend: Backend, path: Path, sha: Sha | null): Promise<void> {
  if (sha === null || (await nowAt(backend, path))?.sha === sha) return;
  for await (const { changes } of backend.log({ path, newestFirst: true }))
    if (changes.some((each) => each.path === path && (each.from === sha || each.to === sha))) return;
  throw new Refusal("not_found", `${path} never was this version.`, { path, next: "Choose one from its history." });
}

function textIn({ parts }: Version): string | undefined {
  try {
    return decode(parts).body;
  } catch (error) {
    if (error instanceof Refusal) return undefined;
    throw error;
  }
}
