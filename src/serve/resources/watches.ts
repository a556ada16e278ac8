// Watches the files that clients subscribed to, and only those: told by the file system, and looked at now and then in case it is silent.
import { join } from "node:path";
import type { Resolved } from "../../core/backend.ts";
import { Refusal } from "../../core/failure.ts";
import type { Session } from "../../kernel/session.ts";
import { createShares } from "../calls/shares.ts";
import { holding, type Served, type ServeOptions } from "../served/served.ts";
import { createDirectories } from "./directories.ts";
import { stateOf } from "./file-state.ts";
import { resourceAt } from "./uri.ts";

/** Files that clients subscribed to, looked at for changes. */
export interface Watches {
  /** Watches the file behind a resource until the returned function is called. Refuses what this session may not read, and "busy" beyond a limit. */
  watch(uri: string, sessionIn: (served: Served) => Session, owner?: string): Promise<() => void>;
  /** Told once for each change of a watched file, with the URI it is watched under. */
  onUpdated(listener: (uri: string) => void): () => void;
  /** Looks at the watched files of a workspace soon: for changes through stet. */
  look(served: Served): void;
  /** Watches nothing any more. */
  close(): void;
}

interface Watched {
  readonly served: Served;
  readonly path: string;
  holders: number;
  /** What was there when it was last looked at; nothing before the first look. */
  state: string | undefined;
  /** Settles after the first look: from then on no change is missed. */
  readonly begun: Promise<void>;
  end(): void;
}

/** How much is watched, and how often it is looked at. */
export interface WatchLimits {
  /** Files in all, since each look costs a few system calls. */
  readonly most: number;
  /** Watches of one owner, so that one alone cannot use up all. */
  readonly mostPerOwner: number;
  /** How often to look although the file system was silent: it does not tell of everything everywhere. */
  readonly everyMs: number;
}

export function createWatches(options: ServeOptions, limits: Partial<WatchLimits> = {}): Watches {
  const { most, mostPerOwner, everyMs } = { most: 5000, mostPerOwner: 1000, everyMs: 3000, ...limits };
  const watched = new Map<string, Watched>();
  const directories = createDirectories();
  const listeners = new Set<(uri: string) => void>();
  const shares = createShares(mostPerOwner);
  let timer: NodeJS.Timeout | undefined;
  let closed = false;

  const lookAt = async (uri: string, file: Watched): Promise<void> => {
    const state = await stateOf(file.served, file.path);
    if (file.state === undefined || state === file.state || watched.get(uri) !== file) return;
    file.state = state;
    for (const listener of listeners) listener(uri);
  };
  const lookAtAll = async (which: (file: Watched) => boolean): Promise<void> => {
    for (const [uri, file] of watched) if (which(file)) await lookAt(uri, file);
  };
  const lookSoon = inTurns(async (which: ReadonlySet<Served>) => lookAtAll(({ served }) => which.has(served)));
  const begin = (uri: string, served: Served, path: string, at: Resolved): Watched => {
    const { directory } = served.workspace.backend;
    // A link is watched at both ends.
    const places = directory === undefined ? [] : [...new Set([path, at.path])].map((each) => join(directory, each));
    const told = served.workspace.backend.watch?.(() => lookSoon(served));
    const letGo = served.hold?.();
    const ends = places.map((place) => directories.add(place, () => void lookAt(uri, file)));
    if (told !== undefined) ends.push(told);
    if (letGo !== undefined) ends.push(letGo);
    const firstLook = async (): Promise<void> => {
      file.state = await stateOf(served, path);
    };
    const file = { served, path, holders: 0, state: undefined as string | undefined, begun: Promise.resolve(), end };
    file.begun = firstLook();
    watched.set(uri, file);
    timer ??= setInterval(() => {
      for (const { served: each } of watched.values()) lookSoon(each);
    }, everyMs).unref();
    return file;

    function end(): void {
      for (const each of ends) each();
    }
  };
  const release = (uri: string, file: Watched): void => {
    file.holders -= 1;
    if (file.holders > 0 || watched.get(uri) !== file) return;
    watched.delete(uri);
    file.end();
    if (watched.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };

  return {
    async watch(uri, sessionIn, owner = "") {
      const { served, path } = await resourceAt(options, uri);
      return holding(served, async () => {
        const at = await sessionIn(served).resolve(path, "read", { tool: "resources/subscribe" });
        if (closed) return () => {};
        if (!watched.has(uri) && watched.size >= most) throw tooMany(`${most} files are watched already`);
        if (!shares.take(owner)) throw tooMany(`You have ${mostPerOwner} subscriptions already`);
        const file = watched.get(uri) ?? begin(uri, served, path, at);
        file.holders += 1;
        await file.begun;
        return once(() => {
          shares.giveBack(owner);
          release(uri, file);
        });
      });
    },
    onUpdated(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    look(served) {
      if (watched.size > 0) lookSoon(served);
    },
    close() {
      closed = true;
      clearInterval(timer);
      for (const file of watched.values()) file.end();
      directories.close();
      watched.clear();
      listeners.clear();
    },
  };
}

/** After a look that took long, so many times as long passes before the next: many changes cost no more than a tenth of the time. */
const REST = 10;

/** Collects what it is called with, and acts on it when its turn has come. */
function inTurns<T>(act: (all: ReadonlySet<T>) => Promise<void>): (one: T) => void {
  let wanted = new Set<T>();
  let waiting = false;
  const turn = async (): Promise<void> => {
    const all = wanted;
    wanted = new Set();
    const began = performance.now();
    await act(all);
    setTimeout(next, (performance.now() - began) * REST).unref();
  };
  const next = (): void => {
    waiting = wanted.size > 0;
    if (waiting) void turn();
  };
  return (one) => {
    wanted.add(one);
    if (waiting) return;
    waiting = true;
    void turn();
  };
}

function once(act: () => void): () => void {
  let done = false;
  return () => {
    if (!done) act();
    done = true;
  };
}

function tooMany(what: string): Refusal {
  return new Refusal("busy", `${what}, and that is the limit.`, {
    next: "Unsubscribe from files that no longer matter.",
  });
}
