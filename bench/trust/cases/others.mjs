// Others work on the same files: parallel calls, other programs, other processes, a part that was never shown.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { judgeBytes, lost, notAsked, refused, right, shown, wrong } from "../verdict.mjs";
import { startWorker } from "../workers.mjs";

/** @type {import("../verdict.mjs").Case[]} */
export const otherWriterCases = [
  {
    id: "parallel-edits",
    title: "120 edits at once, 20 files",
    good: "each edit that was said to be done is there",
    run: parallelEdits,
  },
  {
    id: "changed-since-read",
    title: "another program changed the file between read and edit",
    good: "refused, or the answer tells of the change",
    run: changedSinceRead,
  },
  {
    id: "partial-overwrite",
    title: "10 of 100 lines read, then the file is overwritten",
    good: "refused, or the answer tells of the unseen lines",
    run: partialOverwrite,
  },
  { id: "increments", title: "8 processes count up one number", good: "no increment is lost", run: increments },
];

/** @param {import("../verdict.mjs").Bench} bench */
async function parallelEdits(bench) {
  const names = Array.from({ length: 20 }, (_, n) => `file-${n}.txt`);
  const slots = ["alpha", "bravo", "charlie", "delta", "echo", "foxtrot"];
  for (const name of names) bench.put(name, slots.map((slot) => `${slot}: old ${name}\n`).join(""));
  const agent = await bench.agent();
  for (const name of names) await agent.read(name);
  const edits = names.flatMap((name) => slots.map((slot) => ({ name, slot })));
  const answers = await Promise.all(
    edits.map(({ name, slot }) => agent.edit(name, `${slot}: old ${name}`, `${slot}: new ${name}`)),
  );
  const done = edits.filter((_, n) => answers[n]?.done !== undefined);
  const kept = done.filter(({ name, slot }) => bench.bytes(name).includes(`${slot}: new ${name}`)).length;
  const note = `${done.length} reported done, ${kept} kept`;
  if (kept < done.length) return lost(note);
  return done.length === edits.length ? right(note) : refused(note);
}

/** @param {import("../verdict.mjs").Bench} bench */
async function changedSinceRead(bench) {
  const [before, meanwhile] = ["unit = seconds\nlimit = 10\n", "unit = milliseconds\nlimit = 10\n"];
  bench.put("limits.txt", before);
  const agent = await bench.agent();
  await agent.read("limits.txt");
  writeFileSync(join(bench.root, "limits.txt"), meanwhile);
  const answer = await agent.edit("limits.txt", "limit = 10", "limit = 20");
  const verdict = judgeBytes(
    bench.bytes("limits.txt"),
    Buffer.from(meanwhile),
    answer,
    "unit = milliseconds\nlimit = 20\n",
  );
  if (verdict.verdict !== "right") return verdict;
  const told = /(?:chang|modifi|differ)\w* (?:since|by|outside|after|meanwhile|on disk)/i.test(answer.done ?? "");
  return told ? right("applied, and said so") : wrong("applied without a word");
}

/** @param {import("../verdict.mjs").Bench} bench */
async function partialOverwrite(bench) {
  const lines = Array.from({ length: 100 }, (_, n) => `line ${n + 1}\n`);
  const [before, content] = [lines.join(""), lines.slice(0, 10).join("").toUpperCase()];
  bench.put("hundred.txt", before);
  const agent = await bench.agent();
  if (agent.write === undefined || !bench.ranges) return notAsked("has no partial read or no write");
  await agent.read("hundred.txt", { from: 1, to: 10 });
  const answer = await agent.write("hundred.txt", content);
  const after = bench.bytes("hundred.txt");
  if (answer.refused !== undefined)
    return after.equals(Buffer.from(before)) ? refused(answer.refused) : wrong(`refused, and changed: ${shown(after)}`);
  return /never shown|not shown|unseen|not seen|only (?:lines|part)|partial/i.test(answer.done)
    ? right("written, and said which lines were never shown")
    : lost("90 lines that were never read are gone without a word");
}

/** @param {import("../verdict.mjs").Bench} bench */
async function increments(bench) {
  const [processes, each] = [8, Math.max(10, 10 * bench.scale)];
  bench.put("counter.txt", "# counter\ncount: 0;\n");
  const workers = Array.from({ length: processes }, () => startWorker(bench, "increment", String(each)));
  const reported = (await Promise.all(workers.map((worker) => worker.done))).map(Number).reduce((a, b) => a + b, 0);
  const count = Number(/count: (\d+)/.exec(bench.bytes("counter.txt").toString())?.[1] ?? Number.NaN);
  const note = `${reported} reported done, the counter says ${count}`;
  if (reported === 0) return notAsked("no process got through");
  return count === reported ? right(note) : lost(note);
}
