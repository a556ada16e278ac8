// One file through time: its history, any version of it, the difference of any two, and pictures as pictures.
import type { Path, Sha, Version } from "../../../core/backend.ts";
import { ifRefused, Refusal } from "../../../core/failure.ts";
import { bytesOf } from "../../../core/version.ts";
import { textOfVersion } from "../../../kernel/history/entry.ts";
import { pathInHistory } from "../../../kernel/history/journal.ts";
import { displayable } from "../../../kernel/text/text.ts";
import type { Workspace } from "../../../kernel/workspace.ts";
import type { FileAnswer, FileTold, VersionAnswer, VersionLine } from "../../wire.ts";
import { Picture } from "../answer.ts";
import { numberIn, shaOf, textOf } from "../request.ts";
import { maySee, type Visit, workspaceOf } from "../visit.ts";
import { fileTold, MAX_READ, WHOLE_BYTES, wasVersion } from "./entry.ts";

const PAGE = 200;
const MAX_TEXT = 2 * 1024 * 1024;
const MAX_PICTURE = 16 * 1024 * 1024;

interface Named extends Pick<Workspace, "backend"> {
  readonly path: Path;
}

export async function file(visit: Visit): Promise<FileAnswer> {
  const { backend, path } = await fileIn(visit);
  const untilSeq = (numberIn(visit.fields, "before") ?? Number.MAX_SAFE_INTEGER) - 1;
  const filter = { path, outcomes: ["applied", "external"], newestFirst: true, limit: PAGE, untilSeq } as const;
  const versions: VersionLine[] = [];
  let last = 0;
  for await (const { seq, at, outcome, agent, tool, changes } of backend.log(filter)) {
    last = seq;
    const change = changes.find((each) => each.path === path);
    if (change === undefined) continue;
    const { from, to, toSize: size = 0, movedFrom } = change;
    versions.push({ seq, at, outcome, agent, tool, from, to, size, movedFrom });
  }
  const now = await nowAt({ backend, path });
  return {
    path,
    now: now && { sha: now.sha, size: now.size },
    versions,
    before: versions.length >= PAGE && last > 1 ? last : undefined,
  };
}

export async function version(visit: Visit): Promise<VersionAnswer> {
  const found = await versionIn(visit, WHOLE_BYTES);
  const { size } = found;
  const text = textOfVersion(found);
  if (text === undefined) return { size, truncated: false };
  return { size, text: displayable(text.slice(0, MAX_TEXT)), truncated: text.length > MAX_TEXT };
}

export async function compare(visit: Visit): Promise<FileTold> {
  const named = await fileIn(visit);
  const [before, after] = [shaOf(visit.fields, "from"), shaOf(visit.fields, "to")];
  for (const sha of [before, after]) await refuseStranger(named, sha);
  const limits = { room: { bytes: MAX_READ }, maxBytes: WHOLE_BYTES, largest: WHOLE_BYTES };
  return fileTold(visit, { path: named.path, before, after, beforeSize: 0, afterSize: 0 }, limits);
}

/** By their first bytes, whatever the file is called. SVG is left out: it can hold scripts. */
const PICTURES: readonly (readonly [type: string, start: RegExp])[] = [
  ["image/png", /^89504e470d0a1a0a/],
  ["image/jpeg", /^ffd8ff/],
  ["image/gif", /^47494638(?:37|39)61/],
  ["image/webp", /^52494646.{8}57454250/],
  ["image/bmp", /^424d/],
  ["image/avif", /^.{8}6674797061766966/],
];

export async function picture(visit: Visit): Promise<Picture> {
  const bytes = bytesOf(await versionIn(visit, MAX_PICTURE));
  const start = Buffer.from(bytes.subarray(0, 16)).toString("hex");
  const found = PICTURES.find(([, kind]) => kind.test(start));
  if (found === undefined) throw new Refusal("not_text", "This version is no picture of a known kind.");
  return new Picture(found[0], bytes);
}

async function fileIn(visit: Visit): Promise<Named> {
  const workspace = await workspaceOf(visit);
  const { backend } = workspace;
  const path = await pathInHistory(backend, textOf(visit.fields, "path"));
  if (maySee(visit, workspace, { path })) return { backend, path };
  throw new Refusal("permission_denied", `${path} is hidden by the policy.`, { path, next: "Ask the owner." });
}

function nowAt({ backend, path }: Named): Promise<Version | null> {
  return backend.read(path, { maxBytes: MAX_READ }).catch(ifRefused(null));
}

async function versionIn(visit: Visit, maxBytes: number): Promise<Version> {
  const named = await fileIn(visit);
  const sha = shaOf(visit.fields, "sha");
  await refuseStranger(named, sha);
  const found = sha && (await named.backend.recall(sha, { maxBytes }));
  if (found !== null) return found;
  throw new Refusal("not_kept", `This version of ${named.path} is no longer kept.`, { path: named.path });
}

/** A visitor may ask for versions of a path that it may see, and for no others by that path. */
async function refuseStranger({ backend, path }: Named, sha: Sha | null): Promise<void> {
  if (sha === null || (await nowAt({ backend, path }))?.sha === sha || (await wasVersion(backend, path, sha))) return;
  throw new Refusal("not_found", `${path} never was this version.`, { path, next: "Choose one from its history." });
}
