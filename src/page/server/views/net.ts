// Net changes of a session, an agent or a time, however many steps they took: one diff for each file.
import type { Version } from "../../../core/backend.ts";
import { Deadline } from "../../../core/deadline.ts";
import { Refusal } from "../../../core/failure.ts";
import { LIMITS } from "../../../core/limits.ts";
import { type NetFile, type NetOf, netChanges } from "../../../kernel/history/net.ts";
import { runInWorker } from "../../../kernel/run-in-worker.ts";
import { decode, displayable } from "../../../kernel/text/text.ts";
import type { Workspace } from "../../../kernel/workspace.ts";
import type { DiffTold, FileTold, NetAnswer } from "../../wire.ts";
import { type Fields, textIn } from "../request.ts";
import { maySee, type Visit, workspaceOf } from "../visit.ts";

const MAX_FILES = 500;
const MAX_BYTES_EACH = 256 * 1024;
const MAX_BYTES = 4 * 1024 * 1024;
const LARGEST = 4 * 1024 * 1024;
const WHOLE = 8 * 1024 * 1024;

/** With a path, the whole diff of that file alone. */
export async function net(visit: Visit): Promise<NetAnswer> {
  const workspace = await workspaceOf(visit);
  const path = textIn(visit.fields, "path");
  return netTold(workspace, whoIn(visit.fields), {
    mayShow: (each) => maySee(visit, workspace, each),
    signal: visit.signal,
    ...(path !== undefined && { path }),
  });
}

export interface NetAsked {
  mayShow(path: string): boolean;
  readonly path?: string;
  readonly signal?: AbortSignal;
}

export async function netTold(workspace: Workspace, of: NetOf, asked: NetAsked): Promise<NetAnswer> {
  const { path, mayShow, signal } = asked;
  const { files, entries, takenBack } = await netChanges(workspace, of, signal === undefined ? {} : { signal });
  const wanted = files.filter((each) => path === undefined || each.path === path);
  const room = { bytes: path === undefined ? MAX_BYTES : WHOLE };
  const told: FileTold[] = [];
  for (const each of wanted.slice(0, MAX_FILES)) {
    const isShown = [each.path, each.movedFrom ?? each.path].every(mayShow);
    const why = isShown ? undefined : "hidden by the policy";
    const most = path === undefined ? MAX_BYTES_EACH : WHOLE;
    told.push(await toldOf(workspace, each, why === undefined ? { room, most } : { why }));
  }
  return { files: told, entries, takenBack, moreFiles: wanted.length - told.length };
}

function whoIn(fields: Fields): NetOf {
  const [session, agent, since, until] = ["session", "agent", "since", "until"].map((name) => textIn(fields, name));
  if (session === undefined && agent === undefined && since === undefined)
    throw new Refusal("invalid_input", "Whose changes? Name a session, an agent or a time.", {
      next: "Choose one in the timeline.",
    });
  return {
    ...(session !== undefined && { session }),
    ...(agent !== undefined && { agent }),
    ...(since !== undefined && { since }),
    ...(until !== undefined && { until }),
  };
}

type How = { readonly why: string } | { readonly room: { bytes: number }; readonly most: number };

async function toldOf(workspace: Workspace, each: NetFile, how: How): Promise<FileTold> {
  const { path, movedFrom, before, after, entries, others } = each;
  const [from, to] = [await loaded(workspace, before), await loaded(workspace, after)];
  const diff: DiffTold = "why" in how ? { left: how.why } : await diffOf(each, from, to, how);
  const name = after === null || typeof after === "string" ? after : after.sha;
  return {
    letter: movedFrom !== undefined ? "R" : before === null ? "A" : after === null ? "D" : "M",
    path,
    ...(movedFrom !== undefined && { movedFrom }),
    before,
    after: name,
    beforeSize: from?.size ?? 0,
    afterSize: to?.size ?? 0,
    diff,
    entries,
    ...(others !== undefined && { others }),
  };
}

async function diffOf(
  { path, movedFrom, before, after }: NetFile,
  from: Version | null,
  to: Version | null,
  { room, most }: { readonly room: { bytes: number }; readonly most: number },
): Promise<DiffTold> {
  if ((before !== null && from === null) || (after !== null && to === null)) return { left: "not kept" };
  if (room.bytes <= 0) return { left: "not looked at" };
  try {
    const [old, now] = [from, to].map((version) => (version === null ? "" : decode(version.parts).body));
    const options = {
      fromPath: from === null ? null : (movedFrom ?? path),
      toPath: to === null ? null : path,
      maxBytes: Math.min(most, room.bytes),
    };
    const { text, ...rest } = await runInWorker("unifiedDiff", [old!, now!, options], new Deadline(LIMITS.callMs));
    room.bytes -= text.length;
    return { text: displayable(text), ...rest };
  } catch (error) {
    if (error instanceof Refusal)
      return { left: error.kind === "not_text" || error.kind === "binary_file" ? "binary" : "too large" };
    throw error;
  }
}

async function loaded({ backend }: Workspace, version: NetFile["after"]): Promise<Version | null> {
  if (version === null || typeof version !== "string") return version;
  try {
    return await backend.recall(version, { maxBytes: LARGEST });
  } catch (error) {
    if (error instanceof Refusal) return null;
    throw error;
  }
}
