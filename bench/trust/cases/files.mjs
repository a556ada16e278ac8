// What a file is besides its bytes: mode, links, other names, things that are not files, a way out of the directory.
import { spawn, spawnSync } from "node:child_process";
import { chmodSync, existsSync, linkSync, lstatSync, mkdirSync, statSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { judgeBytes, lost, notAsked, refused, right, shown, wrong } from "../verdict.mjs";

const swapper = fileURLToPath(new URL("../swapper.mjs", import.meta.url));

/** @type {import("../verdict.mjs").Case[]} */
export const fileCases = [
  { id: "exec-bit", title: "executable file", good: "still executable", run: execBit },
  {
    id: "symlink",
    title: "symbolic link inside the directory",
    good: "the link stays, its file is edited",
    run: symlink,
  },
  {
    id: "hard-link",
    title: "file with a second name",
    good: "both names show the edit, or the answer says so",
    run: hardLink,
  },
  { id: "fifo", title: "a FIFO where a file is expected", good: "refused at once", run: fifo },
  {
    id: "symlink-race",
    title: "a directory swapped for a link while tools work",
    good: "nothing outside is read or written",
    run: symlinkRace,
  },
];

/** @param {import("../verdict.mjs").Bench} bench */
async function execBit(bench) {
  chmodSync(bench.put("run.sh", "#!/bin/sh\necho one\n"), 0o755);
  const agent = await bench.agent();
  await agent.read("run.sh");
  const answer = await agent.edit("run.sh", "echo one", "echo two");
  const verdict = judgeBytes(
    bench.bytes("run.sh"),
    Buffer.from("#!/bin/sh\necho one\n"),
    answer,
    "#!/bin/sh\necho two\n",
  );
  const mode = statSync(join(bench.root, "run.sh")).mode & 0o777;
  return mode === 0o755 ? verdict : wrong(`mode is ${mode.toString(8)}`);
}

/** @param {import("../verdict.mjs").Bench} bench */
async function symlink(bench) {
  bench.put("target.txt", "one\ntwo\n");
  symlinkSync("target.txt", join(bench.root, "link.txt"));
  const agent = await bench.agent();
  await agent.read("link.txt");
  const answer = await agent.edit("link.txt", "two", "TWO");
  if (!lstatSync(join(bench.root, "link.txt")).isSymbolicLink()) return wrong("the link became a file");
  return judgeBytes(bench.bytes("target.txt"), Buffer.from("one\ntwo\n"), answer, "one\nTWO\n");
}

/** @param {import("../verdict.mjs").Bench} bench */
async function hardLink(bench) {
  linkSync(bench.put("one.txt", "one\ntwo\n"), join(bench.root, "other.txt"));
  const agent = await bench.agent();
  await agent.read("one.txt");
  const answer = await agent.edit("one.txt", "two", "TWO");
  const verdict = judgeBytes(bench.bytes("one.txt"), Buffer.from("one\ntwo\n"), answer, "one\nTWO\n");
  if (verdict.verdict !== "right" || bench.bytes("other.txt").equals(bench.bytes("one.txt"))) return verdict;
  return /hard link/i.test(answer.done ?? "") ? right("separated, and said so") : wrong("separated without a word");
}

/** @param {import("../verdict.mjs").Bench} bench */
async function fifo(bench) {
  if (spawnSync("mkfifo", [join(bench.root, "pipe")]).status !== 0) return notAsked("no mkfifo here");
  const agent = await bench.agent();
  let timer;
  const waited = new Promise((resolve) => {
    timer = setTimeout(() => resolve("hangs"), 1_500);
  });
  const answer = await Promise.race([agent.read("pipe"), waited]);
  clearTimeout(timer);
  // Whoever waits in open() is let go by a writer, so that the next case finds a free thread.
  const release = spawn("sh", ["-c", 'exec 3<>"$0"; sleep 0.3', join(bench.root, "pipe")], { stdio: "ignore" });
  await new Promise((resolve) => release.on("close", resolve));
  if (answer === "hangs") return wrong("read hangs until a writer comes");
  return answer.refused === undefined ? wrong(`read it: ${answer.done.slice(0, 60)}`) : refused(answer.refused);
}

/** @param {import("../verdict.mjs").Bench} bench */
async function symlinkRace(bench) {
  if (!bench.confined) return notAsked("promises no confinement");
  const [inside, outside] = ["inside\nstate: 0\n", "OUTSIDE\nstate: 0\n"];
  mkdirSync(join(bench.root, "dir"));
  bench.put("dir/file.txt", inside);
  const secret = join(bench.outside, "file.txt");
  bench.put(secret, outside);
  const agent = await bench.agent();
  const child = spawn(process.execPath, [swapper, bench.root, bench.outside], { stdio: ["ignore", "pipe", "ignore"] });
  await new Promise((resolve) => child.stdout.once("data", resolve));
  const escapes = { read: 0, written: 0 };
  const operations = 400 * bench.scale;
  for (let n = 0; n < operations; n++) {
    const answer = await agent.read("dir/file.txt");
    if (answer.done?.includes("OUTSIDE")) escapes.read++;
    const state = n % 2;
    await agent.edit("dir/file.txt", `state: ${state}`, `state: ${1 - state}`);
  }
  child.kill("SIGKILL");
  await new Promise((resolve) => child.on("close", resolve));
  if (!existsSync(secret)) return lost("the file outside is gone");
  if (!bench.bytes(secret).equals(Buffer.from(outside))) escapes.written++;
  if (escapes.read + escapes.written === 0) return right(`0 escapes of ${operations * 2}`);
  const seen = `${escapes.read} of ${operations} reads came from outside`;
  return wrong(escapes.written > 0 ? `${seen}; wrote outside: ${shown(bench.bytes(secret))}` : seen);
}
