// A real state, mutated by chance: every command ends in time, with a result or a refusal in words, and nothing outside changes.
import { availableParallelism } from "node:os";
import { describe, expect, it } from "vitest";
import { HEAVY } from "../../support/processes.ts";
import { fuzzed } from "./fuzzed.ts";

const STATES = HEAVY ? 100_000 : 60;
const WORKERS = HEAVY ? availableParallelism() : 1;
/** The same chances in every ordinary run; a heavy one takes new ones, and says which. */
const FIRST_SEED = HEAVY ? Date.now() % 1_000_000_000 : 20_261_116;

describe.skipIf(process.platform !== "linux")("a mutated state", () => {
  it(
    `lets no command fail otherwise than in words, hang, show or change what is outside, ${STATES} times`,
    async () => {
      if (HEAVY) console.info(`seeds from ${FIRST_SEED} on`);
      const share = Math.ceil(STATES / WORKERS);
      const parts = Array.from({ length: WORKERS }, (_, n) => fuzzed(FIRST_SEED + n * share, share));
      expect((await Promise.all(parts)).flat()).toEqual([]);
    },
    HEAVY ? 4 * 3_600_000 : 300_000,
  );
});
