// The line of tokens that are to be looked up: many with one question, each once for all requests that wait for it. Who is known here already does not wait behind who is not.
import { createHash } from "node:crypto";
import { again } from "../../backends/postgres/connection/database.ts";
import type { Pool } from "../../backends/postgres/index.ts";
import { type TokenAbout, tokensOf } from "../../backends/postgres/tenants/tokens.ts";
import { Refusal } from "../../core/failure.ts";

export interface TokenLine {
  /** What it opens now: the question is asked after this was called, so that one that was revoked before opens nothing. */
  ask(secret: string, from: string): Promise<TokenAbout | undefined>;
  /** What it opened when it was last asked about. */
  lately(secret: string): TokenAbout | undefined;
}

/** In one question. */
const AT_ONCE = 250;
/** Of those that are known here. The rest is for others: their addresses take turns. */
const KNOWN_AT_ONCE = 200;
/** Of one address, of those that are not known here; what is more is sent back at once. Behind a proxy all have one address. */
const MOST_WAITING = 5000;
/** Requests that wait with one token, as many as its rate lets through at once; what is more is sent back at once. */
const MOST_OF_ONE = 2000;
/** Requests of one token, in one turn of the event loop. */
const RELEASED_AT_ONCE = 16;
/** How long a request waits for a database that is away, or behind a question that it does not answer, before it is sent back. */
const WAIT_MS = 1000;
/** How often it is looked who waited too long. */
const LOOK_MS = 100;
/** No token is ever made that was asked for before: this one stays wrong. */
const WRONG_MS = 1000;
const MOST_REMEMBERED = 10_000;

interface Waiting {
  readonly key: string;
  readonly secret: string;
  readonly from: string;
  readonly since: number;
  readonly requests: Request[];
}

interface Request {
  answer(about: TokenAbout | undefined): void;
  refuse(error: unknown): void;
}

export function createTokenLine(pool: Pool): TokenLine {
  const known = remembering<TokenAbout>();
  const wrong = remembering<number>();
  /** Those that no question is under way for. */
  const waiting = new Map<string, Waiting>();
  const ofKnown = new Set<Waiting>();
  /** The address whose turn it is comes first. */
  const ofOthers = new Map<string, Set<Waiting>>();
  const release = releasing();
  let isAsking = false;

  function enter(key: string, secret: string, from: string): Waiting {
    const line = known.of(key) === undefined ? (ofOthers.get(from) ?? new Set()) : ofKnown;
    if (line !== ofKnown && line.size >= MOST_WAITING) throw lineIsFull();
    const place: Waiting = { key, secret, from, since: performance.now(), requests: [] };
    waiting.set(key, place);
    line.add(place);
    if (line !== ofKnown) ofOthers.set(from, line);
    return place;
  }

  function leave(place: Waiting): void {
    const { key, from } = place;
    waiting.delete(key);
    if (ofKnown.delete(place)) return;
    const line = ofOthers.get(from);
    line?.delete(place);
    if (line?.size === 0) ofOthers.delete(from);
  }

  function next(): Waiting[] {
    const group = [...ofKnown].slice(0, KNOWN_AT_ONCE);
    for (const each of group) leave(each);
    while (group.length < AT_ONCE && ofOthers.size > 0) {
      const [from, line] = ofOthers.entries().next().value!;
      const [first] = line;
      group.push(first!);
      ofOthers.delete(from);
      ofOthers.set(from, line);
      leave(first!);
    }
    return group;
  }

  /** They would ask the same database: waits do not add up. */
  function sendBack(why: Error): void {
    const since = performance.now() - WAIT_MS;
    // in the order in which they came
    for (const place of waiting.values()) {
      if (place.since > since) return;
      leave(place);
      release(place, why);
    }
  }

  /** One question at a time: those that come meanwhile go together with the next, and other connections stay free. */
  async function askAll(): Promise<void> {
    if (isAsking) return;
    isAsking = true;
    // with all that come in this turn of the event loop
    await new Promise(setImmediate);
    for (let group = next(); group.length > 0; group = next()) {
      const found = await asked(group).catch((error: Error) => error);
      for (const each of group) release(each, found instanceof Error ? found : noted(each.key, found.get(each.secret)));
      if (found instanceof Error) sendBack(found);
    }
    isAsking = false;
  }

  async function asked(group: readonly Waiting[]): Promise<Map<string, TokenAbout>> {
    const began = performance.now();
    const waited = began - Math.min(...group.map(({ since }) => since));
    const secrets = group.map(({ secret }) => secret);
    const looking = setInterval(() => {
      if (performance.now() - began > WAIT_MS) sendBack(takesLong());
    }, LOOK_MS);
    try {
      return await again(Math.max(0, WAIT_MS - waited), () => tokensOf(pool, secrets));
    } finally {
      clearInterval(looking);
    }
  }

  function noted(key: string, about: TokenAbout | undefined): TokenAbout | undefined {
    if (about !== undefined) known.add(key, about);
    else {
      known.drop(key);
      wrong.add(key, performance.now() + WRONG_MS);
    }
    return about;
  }

  return {
    async ask(secret, from) {
      const key = keyOf(secret);
      if ((wrong.of(key) ?? 0) > performance.now()) return undefined;
      const { requests } = waiting.get(key) ?? enter(key, secret, from);
      if (requests.length >= MOST_OF_ONE) throw tooManyOfOne();
      void askAll();
      return new Promise((answer, refuse) => requests.push({ answer, refuse }));
    },
    lately: (secret) => known.of(keyOf(secret)),
  };
}

/** Not all of a token at once: what comes of a thousand requests would keep the process from all others for seconds. */
function releasing() {
  const answered = new Map<string, (() => void)[]>();
  let isAtIt = false;

  async function releaseAll(): Promise<void> {
    if (isAtIt) return;
    isAtIt = true;
    for (; answered.size > 0; await new Promise(setImmediate)) {
      for (const [key, all] of answered) {
        for (const release of all.splice(0, RELEASED_AT_ONCE)) release();
        if (all.length === 0) answered.delete(key);
      }
    }
    isAtIt = false;
  }

  return ({ key, requests }: Waiting, about: TokenAbout | undefined | Error): void => {
    const settled = requests.map(({ answer, refuse }) => {
      return () => (about instanceof Error ? refuse(about) : answer(about));
    });
    answered.set(key, [...(answered.get(key) ?? []), ...settled]);
    void releaseAll();
  };
}

/** The one that was added longest ago is forgotten first. */
function remembering<T>() {
  const all = new Map<string, T>();
  return {
    of: (key: string): T | undefined => all.get(key),
    add(key: string, value: T): void {
      all.delete(key);
      all.set(key, value);
      if (all.size > MOST_REMEMBERED) all.delete(all.keys().next().value!);
    },
    drop: (key: string): boolean => all.delete(key),
  };
}

/** Tokens themselves are not kept. */
function keyOf(secret: string): string {
  return createHash("sha256").update(secret).digest("base64url");
}

function lineIsFull(): Refusal {
  return new Refusal("busy", "Too many tokens of this address wait to be looked up.", { next: "Try again." });
}

function tooManyOfOne(): Refusal {
  return new Refusal("busy", "Too many requests with this token wait for a look at it.", { next: "Try again." });
}

function takesLong(): Refusal {
  return new Refusal("busy", "The database takes long to answer.", { next: "Try again." });
}
