// The crash: a process that changes hundreds of files together is killed while it does so, and the next one puts it right.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { call, workspace as tools } from "stet/surfaces";

const COUNT = 200;
const ATTEMPTS = 10;
const OLD = 'export const licence = "none";\n';
const NEW = 'export const licence = "MIT";\n';

/** Gives the number of the journal entry that was cut in the middle, and its files. */
export async function crash(story, agent, root) {
  story.step(`A process that changes ${COUNT} files in one commit is killed in the middle of it`);
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    // A process that was not hit has changed its files: the next one gets others, as if it were the first.
    const paths = makeParts(root, attempt);
    const killed = await killInTheMiddle(root, paths);
    const changed = countNew(root, paths);
    if (!killed || changed === 0 || changed === COUNT) continue;
    story.say(`Killed with SIGKILL. It had put ${changed} of ${COUNT} new files in place.`);
    story.check("the crash left some files old and some new", changed > 0 && changed < COUNT);
    return finishedByTheNext(story, agent, root, paths);
  }
  story.check(`the process could be hit in the middle of its commit within ${ATTEMPTS} attempts`, false);
  return undefined;
}

async function finishedByTheNext(story, agent, root, paths) {
  story.step("The next change by anybody, in any process, first finishes what the dead one had begun");
  const input = { path: "NOTES.md", content: "Nothing to repair by hand.\n" };
  const created = await call(agent, tools, "create_file", input);
  story.called("create_file", input, created);
  story.check("the agent's own change is done", created.ok);
  story.check(`all ${COUNT} files are new`, countNew(root, paths) === COUNT);
  for await (const entry of agent.workspace.log({ agent: "worker", newestFirst: true, outcomes: ["applied"] }))
    return { seq: entry.seq, paths };
  return undefined;
}

/** True when it was the kill that ended it. */
async function killInTheMiddle(root, paths) {
  const worker = spawn(process.execPath, [fileURLToPath(new URL("worker.mjs", import.meta.url)), root], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const ended = once(worker, "exit");
  await once(worker.stdout, "data");
  worker.stdin.write(JSON.stringify({ patch: patchOfAll(paths) }));
  worker.stdin.end();
  await once(worker.stdin, "finish");
  const early = paths[COUNT / 8];
  // Looking without letting go: the worker needs only milliseconds for all of it.
  for (const end = Date.now() + 60_000; readFileSync(join(root, early), "utf8") === OLD && Date.now() < end; ) pause();
  worker.kill("SIGKILL");
  const [, signal] = await ended;
  return signal === "SIGKILL";
}

function patchOfAll(paths) {
  const update = (path) => `*** Update File: ${path}\n@@\n-${OLD}+${NEW}`;
  return `*** Begin Patch\n${paths.map(update).join("")}*** End Patch\n`;
}

function countNew(root, paths) {
  return paths.filter((path) => readFileSync(join(root, path), "utf8") === NEW).length;
}

function makeParts(root, attempt) {
  const directory = attempt === 1 ? "parts" : `parts-${attempt}`;
  mkdirSync(join(root, directory));
  const paths = Array.from({ length: COUNT }, (_, n) => `${directory}/${String(n + 1).padStart(3, "0")}.js`);
  for (const path of paths) writeFileSync(join(root, path), OLD);
  return paths;
}

function pause() {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 0.2);
}
