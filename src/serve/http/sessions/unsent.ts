// Answers that their clients have not taken yet: counted for each token, so that who does not read cannot fill the memory.
import type { ServerResponse } from "node:http";
import type { Allowance } from "../../calls/allowance.ts";

export interface Unsent {
  /** Whether so much waits for this token's clients that no further call of theirs is served. */
  isFull(principal: string): boolean;
  /** Writes to this response from here on are counted until they are out, or it is closed. */
  writerTo(response: ServerResponse, principal: string): UnsentWriter;
}

export interface UnsentWriter {
  /** False when it would be too much; of small ones, which may tell of a change, twice as much is taken. */
  fits(chunk: Uint8Array): boolean;
  write(chunk: Uint8Array): void;
}

const SMALL = 256 * 1024;

export function createUnsent(most: number, { unread, count }: Allowance): Unsent {
  return {
    isFull: (principal) => unread(principal) >= most,
    writerTo(response, principal) {
      let own = 0;
      const add = (bytes: number): void => {
        own += bytes;
        count(principal, bytes);
      };
      response.once("close", () => add(-own));
      return {
        fits({ length }) {
          const total = unread(principal);
          return total === 0 || total + length <= (length <= SMALL ? 2 * most : most);
        },
        write(chunk) {
          add(chunk.length);
          // what was written before the end is told of after it, too
          response.write(chunk, () => add(-Math.min(own, chunk.length)));
        },
      };
    },
  };
}
