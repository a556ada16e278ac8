// What a tenant may have and do: asked and counted under a lock that all its workspaces share, and told in words.
import { Refusal } from "../../../core/failure.ts";
import { shown } from "../../../core/printable.ts";
import type { Client, Query } from "../connection/client.ts";
import { within } from "../connection/database.ts";

/** What is left for a tenant that has a quota. */
export interface Room {
  /** Refuses, in words, what does not fit any more; else it is counted. */
  take(more: More): void;
  readonly writing: Query[];
}

interface More {
  /** Of all that is stored, with the entry and the rows of paths. */
  readonly bytes: number;
  /** Of versions that were not there. */
  readonly content: number;
  readonly files: number;
  readonly entries: number;
  /** What may go on where there is no room, in a reserve: deletions and moves, and notes, such as that versions were dropped. */
  readonly goesOn?: "removal" | "note" | undefined;
}

/** So that what makes room can be written down. Notes have another one: deletions must not use up theirs. */
const RESERVE = { part: 0.1, leastBytes: 1024 ** 2 };
const RESERVES = { removal: 1, note: 2 } as const;

/** About what a path takes that is in no line and no version: it is in a row and its indexes, for good. */
export function bytesOfPath(path: string): number {
  return 100 + 4 * Buffer.byteLength(path);
}

interface Quota {
  readonly maxBytes: number | null;
  readonly maxFiles: number | null;
  readonly perSecond: number | null;
  readonly bytes: number;
  readonly files: number;
}

/** The lock holds to the end of the transaction. Undefined for a tenant without a quota. */
export async function roomFor(client: Client, tenant: string): Promise<Room | undefined> {
  // One statement each: what is counted must be counted behind the lock.
  const [[pace], [quota]] = await Promise.all([
    within<{ level: number; since: number }>(client, {
      name: "stet-pace",
      text: `select level, extract(epoch from clock_timestamp() - at)::float8 as since from pace where tenant = $1
        for no key update`,
      values: [tenant],
    }),
    within<Quota>(client, {
      name: "stet-quota",
      text: `select max_bytes as "maxBytes", max_files as "maxFiles", per_second as "perSecond", used.* from quota,
        (select coalesce(sum(version_bytes + line_bytes + path_bytes), 0)::bigint as bytes,
          coalesce(sum(files), 0)::bigint as files from workspace where tenant = $1) as used
        where quota.tenant = $1`,
      values: [tenant],
    }),
  ]);
  return pace === undefined || quota === undefined ? undefined : createRoom(tenant, quota, pace);
}

function createRoom(tenant: string, quota: Quota, pace: { readonly level: number; readonly since: number }): Room {
  const { maxBytes, maxFiles, perSecond } = quota;
  let { bytes, files } = quota;
  const most = Math.max(1, perSecond ?? 1);
  let level = Math.min(most, pace.level + Math.max(0, pace.since) * (perSecond ?? 0));
  const whose = tenant === "" ? "What is here" : `The tenant ${shown(tenant)}`;

  return {
    take(more) {
      if (maxBytes !== null && bytes + more.bytes > maxBytes + reserveOf(maxBytes, more)) {
        const what = more.content > 0 ? "this needs" : "its entry in the journal needs";
        throw full(`${whose} has ${bytes} of ${maxBytes} bytes, its history included, and ${what} ${more.bytes} more.`);
      }
      if (maxFiles !== null && more.files > 0 && files + more.files > maxFiles)
        throw tooMany(`${whose} has ${files} of ${maxFiles} files, and this makes ${more.files} more.`);
      if (perSecond !== null && level < more.entries) {
        const seconds = Math.ceil((more.entries - level) / perSecond);
        throw new Refusal("busy", `${whose} may make ${perSecond} changes a second, and has made them.`, {
          next: `Try again in ${seconds} s.`,
          details: { perSecond },
        });
      }
      bytes += more.bytes;
      files += more.files;
      level -= more.entries;
    },
    get writing() {
      if (perSecond === null) return [];
      const text = "update pace set level = $2, at = clock_timestamp() where tenant = $1";
      return [{ name: "stet-paced", text, values: [tenant, level] }];
    },
  };
}

function reserveOf(maxBytes: number, { goesOn }: More): number {
  if (goesOn === undefined) return 0;
  return RESERVES[goesOn] * Math.max(RESERVE.leastBytes, RESERVE.part * maxBytes);
}

function tooMany(why: string): Refusal {
  return new Refusal("disk_full", why, {
    next: "Delete files that are not needed, or ask the owner of the server for more.",
  });
}

function full(why: string): Refusal {
  return new Refusal("disk_full", why, {
    next: "Ask the owner of the server for more room, or to drop old versions with stet gc.",
  });
}
