// What the tests of text edits share: refusals as values, and the folder of recorded cases.
import { existsSync, readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { type Failure, Refusal } from "stet";

/** The refusal that `act` throws; anything else fails the test. */
export function refusalOf(act: () => unknown): Failure {
  try {
    act();
  } catch (error) {
    if (error instanceof Refusal) return error.failure;
    throw error;
  }
  throw new Error("was not refused");
}

const DATA = new URL("../../../shared/data/", import.meta.url);

export const dataMissing = !existsSync(DATA);

interface CaseFile {
  readonly cases: readonly Record<string, unknown>[];
}

export function casesOf(folder: string, file = "cases.json"): readonly Record<string, unknown>[] {
  const url = new URL(`peer-cases/${folder}/${file}`, DATA);
  return (JSON.parse(readFileSync(url, "utf8")) as CaseFile).cases;
}

export interface Trial {
  readonly cls: string;
  readonly id: number;
  readonly content: string;
  readonly old: string;
  readonly new: string;
  /** Null where the edit must be refused. */
  readonly expected: string | null;
}

/** Without those that would refuse old text which is in the file to the letter, once: such text always lands. */
export function trials(): Trial[] {
  const lines = gunzipSync(readFileSync(new URL("edit-bench/trials.jsonl.gz", DATA))).toString("utf8");
  return lines
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Trial)
    .filter(({ expected, content, old }) => expected !== null || content.split(old).length !== 2);
}
