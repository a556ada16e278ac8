// Answers that their clients have not taken yet: counted for each token, so that who does not read cannot fill the memory.
import type { ServerResponse } from "node:http";

export interface Unsent {
  /** Whether so much waits for this token's clients that no further call of theirs is served. */
  isFull(principal: string): boolean;
  /** Writes to this response from here on are counted until they are out, or it is closed. */
  writerTo(response: ServerResponse, principal: string): UnsentWriter;
}

export interface UnsentWriter {
  /** False when it would be too much; small ones always fit, since they may tell of a change. */
  fits(chunk: Uint8Array): boolean;
  /** As of the response: false when one should wait for "drain". */
  write(chunk: Uint8Array): boolean;
}

const SMALL = 256 * 1024;

export function createUnsent(most: number): Unsent {
  const perToken = new Map<string, number>();
  const total = (principal: string): number => perToken.get(principal) ?? 0;
  const add = (principal: string, bytes: number): void => void perToken.set(principal, total(principal) + bytes);

  return {
    isFull: (principal) => total(principal) > most,
    writerTo(response, principal) {
      let own = 0;
      const count = (bytes: number): void => {
        own += bytes;
        add(principal, bytes);
      };
      response.once("close", () => count(-own));
      return {
        fits: ({ length }) => length <= SMALL || total(principal) === 0 || total(principal) + length <= most,
        write(chunk) {
          count(chunk.length);
          // what was written before the end is told of after it, too
          return response.write(chunk, () => count(-Math.min(own, chunk.length)));
        },
      };
    },
  };
}
