// The machine fails: no room on the disk, and a process killed in the middle.
import { spawnSync } from "node:child_process";
import { closeSync, existsSync, mkdirSync, openSync, readSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { lost, notAsked, refused, right, wrong } from "../verdict.mjs";
import { startWorker } from "../workers.mjs";

/** @type {import("../verdict.mjs").Case[]} */
export const faultCases = [
  { id: "full-disk", title: "the disk fills up during a write", good: "refused, the old file is whole", run: fullDisk },
  {
    id: "kill-write",
    title: "SIGKILL during edits of a 2 MB file",
    good: "the file is old or new",
    run: killDuringEdit,
  },
  {
    id: "kill-patch",
    title: "SIGKILL during patches of five files",
    good: "all five are old or all are new",
    run: killDuringPatch,
  },
];

/** @param {import("../verdict.mjs").Bench} bench */
async function fullDisk(bench) {
  const disk = join(bench.root, "disk");
  mkdirSync(disk);
  if (spawnSync("mount", ["-t", "tmpfs", "-o", "size=1m", "tmpfs", disk]).status !== 0)
    return notAsked("needs the right to mount a tmpfs");
  try {
    const before = `first\n${"old line\n".repeat(20_000)}last\n`;
    writeFileSync(join(disk, "file.txt"), before);
    const agent = await bench.agent(disk);
    await agent.read("file.txt");
    const filler = spawnSync("dd", ["if=/dev/zero", `of=${join(disk, "filler")}`, "bs=4k"], { stdio: "ignore" });
    if (filler.error) return notAsked("no dd here");
    const answer = await agent.edit("file.txt", "first\n", `first\n${`${"x".repeat(999)}\n`.repeat(108)}`);
    const after = existsSync(join(disk, "file.txt")) ? bench.bytes(join(disk, "file.txt")) : Buffer.alloc(0);
    await agent.close();
    if (after.equals(Buffer.from(before)))
      return answer.refused === undefined ? wrong("said done, changed nothing") : refused(answer.refused);
    const said = answer.refused === undefined ? "done" : "refused";
    return lost(`the file is neither old nor new; said ${said}`);
  } finally {
    spawnSync("umount", ["-l", disk]);
  }
}

/** @param {import("../verdict.mjs").Bench} bench */
async function killDuringEdit(bench) {
  const filler = "the same line again and again, to make the file big\n".repeat(36_000);
  const states = ["A", "B"].map((state) => Buffer.from(`state: ${state}\n${filler}end of file\n`));
  const file = bench.put("big.txt", /** @type {Buffer} */ (states[0]));
  const whole = statSync(file).size;
  const kills = Math.ceil(3 * bench.scale);
  for (let n = 0; n < kills; n++) {
    const worker = startWorker(bench, "toggle", "big.txt");
    if (!(await worker.ready)) return notAsked("does not edit a file of 2 MB");
    await killWhen(worker, bench.scale, () => sizeOf(file) !== whole);
    const after = existsSync(file) ? bench.bytes("big.txt") : Buffer.alloc(0);
    if (!states.some((state) => state.equals(after)))
      return lost(`kill ${n + 1}: ${after.length} of ${whole} bytes are left`);
  }
  return right(`${kills} kills`);
}

/** @param {import("../verdict.mjs").Bench} bench */
async function killDuringPatch(bench) {
  const agent = await bench.agent();
  if (agent.patch === undefined) return notAsked("one file at a time");
  const names = Array.from({ length: 5 }, (_, n) => `part-${n}.txt`);
  const files = names.map((name) => bench.put(name, `state: A\n${"filler\n".repeat(20_000)}`));
  const mixed = () => new Set(files.map(stateOf)).size > 1;
  const kills = Math.ceil(4 * bench.scale);
  for (let n = 0; n < kills; n++) {
    const worker = startWorker(bench, "patch", names.join(","));
    if (!(await worker.ready)) return notAsked("did not apply the patch");
    await killWhen(worker, bench.scale, mixed);
    // Whoever opens the directory next may finish or take back what the dead process left.
    const next = await bench.agent();
    await next.read(String(names[0]));
    await next.edit(String(names[0]), "no such text", "x");
    await next.close();
    if (mixed()) return wrong(`kill ${n + 1}: some files are new, others old`);
  }
  return right(`${kills} kills`);
}

/** Kills at the worst moment that can be seen from outside, or after a while if there is none. @param {ReturnType<typeof startWorker>} worker @param {number} scale @param {() => boolean} halfDone */
async function killWhen(worker, scale, halfDone) {
  const patience = Date.now() + 300 + 400 * scale;
  for (let round = 0; Date.now() < patience && !halfDone(); round++) {
    if (round % 50 === 0) await new Promise((resolve) => setImmediate(resolve));
  }
  worker.kill();
  await worker.done;
}

/** @param {string} file */
function sizeOf(file) {
  return statSync(file, { throwIfNoEntry: false })?.size;
}

/** @param {string} file */
function stateOf(file) {
  try {
    const opened = openSync(file, "r");
    const bytes = Buffer.alloc(8);
    readSync(opened, bytes, 0, 8, 0);
    closeSync(opened);
    return bytes.toString();
  } catch {
    return "state: A";
  }
}
