// Compares, plans and seals what a transaction will change, without the network.
import type { Entry, Seen, Sha, Version } from "../../../core/backend.ts";
import { placeAfter, seal, type Tail } from "../../journal/entry.ts";
import type { Node } from "../paths/nodes.ts";
import { seenKey } from "../state/ledger.ts";
import type { Plan } from "./plan.ts";
import type { Job } from "./queue.ts";
import { bytesOfPath, type Room } from "./quota-check.ts";
import type { Standings } from "./standing.ts";

export interface Sealed {
  readonly job: Job;
  readonly entry: Entry;
  readonly line: string;
}

export interface Refused {
  readonly job: Job;
  readonly why: unknown;
}

/** What a transaction changes, gathered over its jobs. */
export interface Gathered {
  readonly sealed: Sealed[];
  /** Not told before the transaction is over: one that is lost is tried again, and then they may be made. */
  readonly refused: Refused[];
  readonly nodes: Map<string, Node>;
  readonly versions: Map<Sha, Version>;
  /** Those as well that are in the store. */
  readonly contents: Map<Sha, Version>;
  readonly keep: Set<Sha>;
  /** By the key of the ledger. */
  readonly seen: Map<string, Seen>;
  /** Of a tenant with a quota. */
  readonly room: Room | undefined;
  tail: Tail;
  files: number;
  fileBytes: number;
  /** Of paths that were not there before. */
  pathBytes: number;
}

export interface Found extends Standings {
  readonly tail: Tail;
  readonly now: number;
  readonly room: Room | undefined;
}

/** Without the network: compares, plans and seals. A job that is refused leaves the others alone. */
export function gather(jobs: readonly Job[], { tail, now, room, standing, stored }: Found): Gathered {
  const all: Gathered = {
    sealed: [],
    refused: [],
    nodes: new Map(),
    versions: new Map(),
    contents: new Map(),
    keep: new Set(),
    seen: new Map(),
    room,
    tail,
    files: 0,
    fileBytes: 0,
    pathBytes: 0,
  };
  for (const job of jobs) {
    try {
      job.begin();
      const plan = job.run({ node: (path) => standing.get(path), tail: all.tail, now });
      const { entry, line } = seal(plan.draft, placeAfter(all.tail, new Date(now)));
      const files = plan.nodes.reduce((sum, node) => sum + isFile(node) - isFile(standing.get(node.path)), 0);
      const fresh = plan.versions.filter(({ sha }) => !stored.has(sha) && !all.versions.has(sha));
      const content = fresh.reduce((sum, { size }) => sum + size, 0);
      const paths = plan.nodes.reduce((sum, { path }) => sum + (standing.has(path) ? 0 : bytesOfPath(path)), 0);
      const bytes = content + paths + Buffer.byteLength(line) + 1;
      room?.take({ files, content, bytes, entries: 1, goesOn: goingOn(plan.draft) });
      all.pathBytes += paths;
      all.tail = { seq: entry.seq, hash: entry.hash, at: entry.at };
      all.sealed.push({ job, entry, line });
      add(all, plan, entry.seq, standing, stored);
      for (const [path, seen] of job.shown?.files ?? []) all.seen.set(seenKey(job.shown!.session, path), seen);
    } catch (why) {
      all.refused.push({ job, why });
    }
  }
  return all;
}

function goingOn({ outcome, changes }: Plan["draft"]): "removal" | "note" | undefined {
  if (outcome === "note") return "note";
  const isRemoval =
    outcome === "applied" && changes.every(({ to, movedFrom }) => to === null || movedFrom !== undefined);
  return isRemoval ? "removal" : undefined;
}

function add(all: Gathered, plan: Plan, seq: number, standing: Map<string, Node>, stored: ReadonlySet<Sha>): void {
  for (const planned of plan.nodes) {
    const before = standing.get(planned.path);
    const node = { ...planned, seq: planned.kind === "d" ? (before?.seq ?? null) : seq };
    all.files += isFile(node) - isFile(before);
    all.fileBytes += isFile(node) * node.size - isFile(before) * (before?.size ?? 0);
    standing.set(node.path, node);
    all.nodes.set(node.path, node);
  }
  for (const version of plan.versions) {
    all.contents.set(version.sha, version);
    if (stored.has(version.sha)) all.keep.add(version.sha);
    else all.versions.set(version.sha, version);
  }
  for (const sha of plan.keep) if (!all.versions.has(sha)) all.keep.add(sha);
}

function isFile(node: Pick<Node, "kind"> | undefined): 0 | 1 {
  return node?.kind === "f" || node?.kind === "l" ? 1 : 0;
}
