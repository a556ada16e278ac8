// Every tool of every surface, called with what costs it most: what is too much is refused with its limit; in heavy runs also
// that the event loop goes on turning, and memory stays in proportion to what was given. The built package does the work.
import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { surfaceNames } from "stet/surfaces";
import { describe, expect, it } from "vitest";
import { HEAVY } from "../support/processes.ts";

const MIB = 1024 * 1024;
const SCRIPT = fileURLToPath(new URL("worst.mjs", import.meta.url));
const SIZES = HEAVY ? [4 * MIB, 10 * MIB - 16] : [MIB];

/** As much for young objects as Node 20 gives them: later versions let more garbage pile up before they look. */
const YOUNG_ROOM = "--max-semi-space-size=16";

/** Heavy runs only, since others keep a machine busy. One step is what it takes to turn a text of the file's size into JSON and back: nothing may take longer than so many. */
const MAX_STEPS = 12;
/** In megabytes, of processes that were started: as for this one, and what a process of Node takes that has nothing to do. */
const BESIDE = { times: 4, any: 64 + 64 };

interface Made {
  readonly call: string;
  readonly is: string;
  readonly expected: string;
  readonly text: string;
  readonly steps: number;
  readonly megabytes: number;
  readonly beside: number;
  readonly given: number;
}

// It looks at /proc.
describe.skipIf(process.platform !== "linux").each(SIZES)("the worst calls on files of %d bytes", (size) => {
  it.each(HEAVY ? surfaceNames : ["workspace", "tracked", "anchors"])(
    "of the surface %s leave time and room for others",
    async (surface) => {
      const made = await madeOn(surface, size);
      expect(made.length).toBeGreaterThan(0);
      // Lines so short are too many for a heap, and a busy machine is too slow: both are said.
      const wrong = made.filter(({ is, expected }) => is !== expected && is !== "file_too_large" && is !== "timeout");
      expect(wrong).toEqual([]);
      if (HEAVY) {
        // what is slow is slow again, when another program does not hold up this one
        const slow = made.filter(({ steps }) => steps > MAX_STEPS);
        const once = new Set(slow.map(({ call }) => call));
        const again = slow.length === 0 ? [] : await madeOn(surface, size);
        expect(again.filter(({ call, steps }) => steps > MAX_STEPS && once.has(call))).toEqual([]);
        expect(made.filter(({ megabytes, given }) => megabytes > 4 * given + 64)).toEqual([]);
        expect(made.filter(({ beside, given }) => beside > BESIDE.times * given + BESIDE.any)).toEqual([]);
      }
      const refused = made.filter(({ is }) => is !== "ok" && !NO_LIMIT.has(is));
      expect(refused.filter(({ text }) => !/\d/.test(text))).toEqual([]);
    },
  );
});

async function madeOn(surface: string, size: number): Promise<Made[]> {
  const args = ["--expose-gc", YOUNG_ROOM, SCRIPT, String(size), surface, HEAVY ? "all" : "refused"];
  const { stdout } = await promisify(execFile)(process.execPath, args, { maxBuffer: 64 * MIB });
  const [first, ...rest] = stdout.trim().split("\n");
  expect(JSON.parse(first!)).toEqual({ untold: [] });
  return rest.map((line) => JSON.parse(line) as Made);
}

/** Refused for what they ask, not for how much of it. */
const NO_LIMIT: ReadonlySet<string> = new Set(["old_text_not_found", "binary_file"]);
