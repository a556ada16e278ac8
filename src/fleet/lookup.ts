// Looks tokens up in the database, many with one question, and believes an answer for a second.
import { createHash } from "node:crypto";
import { again } from "../backends/postgres/connection/database.ts";
import type { Pool } from "../backends/postgres/index.ts";
import { type TokenAbout, tokensOf } from "../backends/postgres/tenants/tokens.ts";
import { Refusal } from "../core/failure.ts";

/** What a token opens, as of a second ago at most. */
export type TokenLookup = (secret: string) => Promise<TokenAbout | undefined>;

const BELIEVED_MS = 1000;
/** Tokens in one question. Those that opened something before go first: a flood of others does not hold them up. */
const MAX_ASKED = 250;
const MAX_WAITING = 5000;
/** Requests that wait with one token. */
const MAX_OF_ONE = 2000;
const MAX_REMEMBERED = 10_000;
/** Time for one question; when it fails, all who wait are refused, as they would ask the same database. */
const WAIT_MS = 1000;

interface Answer {
  readonly about: TokenAbout | undefined;
  readonly at: number;
}

interface Waiting {
  readonly secret: string;
  readonly requests: { answer(about: TokenAbout | undefined): void; refuse(error: unknown): void }[];
}

export function createTokenLookup(pool: Pool): TokenLookup {
  /** By the hash of the token: tokens themselves are not kept. */
  const answers = new Map<string, Answer>();
  const waiting = new Map<string, Waiting>();
  let isAsking = false;

  const isKnown = (key: string): boolean => answers.get(key)?.about !== undefined;

  function enter(key: string, secret: string): Waiting {
    if (waiting.size >= MAX_WAITING && !isKnown(key))
      throw new Refusal("busy", "Too many tokens wait to be looked up.", { next: "Try again." });
    const place: Waiting = { secret, requests: [] };
    waiting.set(key, place);
    return place;
  }

  /** One question at a time, with all that came in this turn of the event loop and while the last one was asked. */
  async function askAll(): Promise<void> {
    if (isAsking) return;
    isAsking = true;
    while (waiting.size > 0) {
      await new Promise(setImmediate);
      const knownFirst = new Map([...[...waiting].filter(([key]) => isKnown(key)), ...waiting]);
      const group = [...knownFirst].slice(0, MAX_ASKED);
      try {
        const found = await again(WAIT_MS, () =>
          tokensOf(
            pool,
            group.map(([, { secret }]) => secret),
          ),
        );
        for (const [key, { secret, requests }] of group) {
          waiting.delete(key);
          remember(key, found.get(secret));
          for (const { answer } of requests) answer(found.get(secret));
        }
      } catch (error) {
        for (const { refuse } of [...waiting.values()].flatMap(({ requests }) => requests)) refuse(error);
        waiting.clear();
      }
    }
    isAsking = false;
  }

  /** The one that was looked up longest ago is forgotten first. */
  function remember(key: string, about: TokenAbout | undefined): void {
    answers.delete(key);
    answers.set(key, { about, at: performance.now() });
    if (answers.size > MAX_REMEMBERED) answers.delete(answers.keys().next().value!);
  }

  return async (secret) => {
    const key = keyOf(secret);
    const known = answers.get(key);
    if (known !== undefined && performance.now() - known.at < BELIEVED_MS) return known.about;
    const { requests } = waiting.get(key) ?? enter(key, secret);
    if (requests.length >= MAX_OF_ONE)
      throw new Refusal("busy", "Too many requests with this token wait for its lookup.", { next: "Try again." });
    void askAll();
    return new Promise((answer, refuse) => requests.push({ answer, refuse }));
  };
}

function keyOf(secret: string): string {
  return createHash("sha256").update(secret).digest("base64url");
}
