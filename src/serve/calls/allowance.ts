// Bounds what the calls of one owner hold in memory: files they work on and unread answers. Where little is left, the next call waits.
import type { Cancellation } from "../../core/deadline.ts";
import { Refusal } from "../../core/failure.ts";
import type { AnyTool } from "../../surfaces/tool.ts";
import { resourceAt } from "../resource-uri.ts";
import type { NamedWorkspace, ServeOptions } from "../workspaces/named.ts";

export interface Allowance {
  /** Runs a call when there is room for it; refuses it, before anything is done, when there is none for long. */
  hold<T>(owner: string, call: Weighed, act: () => Promise<T>): Promise<T>;
  /** Bytes of answers that the owner's clients have not read yet. */
  unread(owner: string): number;
  /** So many more of them, or fewer. */
  count(owner: string, bytes: number): void;
}

export interface Weighed {
  /** The bytes that it works on. Asked only when it matters. */
  readonly needs: () => Promise<number>;
  readonly signal: Cancellation;
}

interface Account {
  calls: number;
  held: number;
  unread: number;
  /** Calls that wait for room. */
  waiting: number;
  /** Wakes them, in the order they came; each looks whether there is enough for it. */
  readonly wake: Set<() => void>;
}

/** So many calls are let in without a look at their files, unless answers wait. */
const FEW = 2;
/** What each of them counts as: this part of the whole, which is more than the largest file. */
const UNSEEN = 1 / 4;
/** Any call and its answer. */
const MIN_BYTES = 64 * 1024;
/** When nothing is given back for so long, a call that waits is refused. */
const WAIT_MS = 10_000;

export function createAllowance(maxBytes: number, waitMs = WAIT_MS): Allowance {
  const accounts = new Map<string, Account>();

  function of(owner: string): Account {
    const account = accounts.get(owner) ?? { calls: 0, held: 0, unread: 0, waiting: 0, wake: new Set() };
    accounts.set(owner, account);
    return account;
  }

  function hasRoom({ calls, held, unread }: Account, bytes: number): boolean {
    return (calls === 0 && unread === 0) || held + unread + bytes <= maxBytes;
  }

  function gave(owner: string, account: Account): void {
    for (const wake of account.wake) wake();
    if (account.calls === 0 && account.unread === 0 && account.waiting === 0) accounts.delete(owner);
  }

  /** It is in when there is room, and not a turn later: others look then. */
  async function enterInTurn(account: Account, bytes: number, signal: Cancellation): Promise<number> {
    account.waiting += 1;
    try {
      for (let isNews = true; ; isNews = await isAwakened(account, signal, waitMs)) {
        if (signal.aborted) throw cancelled(signal);
        if (hasRoom(account, bytes)) return enter(account, bytes);
        if (!isNews) throw full(account, maxBytes);
      }
    } finally {
      account.waiting -= 1;
    }
  }

  async function begin(owner: string, { needs, signal }: Weighed): Promise<number> {
    const account = of(owner);
    if (account.calls < FEW && account.unread === 0) return enter(account, maxBytes * UNSEEN);
    const bytes = Math.max(MIN_BYTES, await needs());
    return enterInTurn(of(owner), bytes, signal);
  }

  function leave(owner: string, bytes: number): void {
    const account = of(owner);
    account.calls -= 1;
    account.held -= bytes;
    gave(owner, account);
  }

  return {
    async hold(owner, call, act) {
      const bytes = await begin(owner, call);
      try {
        return await act();
      } finally {
        // by then the answer is written, and counted as unread
        setImmediate(leave, owner, bytes);
      }
    },
    unread: (owner) => accounts.get(owner)?.unread ?? 0,
    count(owner, bytes) {
      const account = of(owner);
      account.unread += bytes;
      if (bytes < 0) gave(owner, account);
    },
  };
}

function enter(account: Account, bytes: number): number {
  account.calls += 1;
  account.held += bytes;
  return bytes;
}

/** Until something is given back; false when nothing was for so long. */
function isAwakened({ wake }: Account, signal: Cancellation, ms: number): Promise<boolean> {
  return new Promise((resolve) => {
    const end = (isNews: boolean): void => {
      clearTimeout(timer);
      signal.removeEventListener("abort", awakened);
      wake.delete(awakened);
      resolve(isNews);
    };
    const awakened = (): void => end(true);
    const timer = setTimeout(end, ms, false);
    signal.addEventListener("abort", awakened);
    wake.add(awakened);
  });
}

function full({ calls, unread }: Account, maxBytes: number): Refusal {
  const [waiting, most] = [unread, maxBytes].map((bytes) => (bytes / 1024 / 1024).toFixed(1));
  return new Refusal(
    "busy",
    `There is no room for this call: ${calls} others are being worked on, and ${waiting} MiB of answers have not been read, of ${most} MiB that a client may hold. Nothing was done.`,
    { next: "Read the answers to earlier calls, and try again with fewer at once." },
  );
}

function cancelled({ reason }: Cancellation): Refusal {
  return new Refusal("cancelled", "The call was cancelled.", {
    next: "Call again if it is still wanted.",
    cause: reason,
  });
}

/** A change has a file twice, before and after. Where the files are not there yet, or not named, it counts as the largest one. */
export async function bytesFor(tool: AnyTool, served: NamedWorkspace, paths: readonly string[]): Promise<number> {
  const sizes: number[] = [];
  for (const path of paths) sizes.push(await sizeOf(served, path));
  const bytes = sizes.reduce((sum, size) => sum + size, 0);
  if (tool.effect === "read") return bytes;
  const areThere = sizes.length > 0 && sizes.every((size) => size > 0);
  return areThere ? bytes * 2 : Math.max(bytes * 2, served.workspace.policy.maxFileBytes);
}

const AS_BASE64 = 4 / 3;

export function bytesBehind(options: ServeOptions, uri: string): Promise<number> {
  return unlessRefused(0, async () => {
    const { served, path } = await resourceAt(options, uri);
    return Math.ceil((await sizeOf(served, path)) * AS_BASE64);
  });
}

/** A larger file is read in pages. */
function sizeOf({ workspace: { backend, policy } }: NamedWorkspace, path: string): Promise<number> {
  return unlessRefused(0, async () => Math.min((await backend.resolve(path)).size, policy.maxFileBytes));
}

/** Why it was refused is for the call to say. */
export async function unlessRefused<T>(otherwise: T, find: () => Promise<T>): Promise<T> {
  try {
    return await find();
  } catch (error) {
    if (error instanceof Refusal) return otherwise;
    throw error;
  }
}
