// A process or thread of its own that takes the lock over and over: lock-child.mjs <job> <dir> <count>
import fs from "node:fs";
import { setImmediate } from "node:timers/promises";
import { isMainThread, parentPort, workerData } from "node:worker_threads";
import { openJournal } from "../../dist/backends/disk/journal/journal.js";
import { openLock } from "../../dist/backends/disk/lock/lock.js";

const [job, dir, count] = isMainThread ? process.argv.slice(2) : workerData;
const say = (message) => (isMainThread ? process.send(message) : parentPort.postMessage(message));
const lock = openLock(`${dir}/lock`);
const journal = job === "journal" ? openJournal(`${dir}/journal`, { segmentBytes: 20_000 }) : null;
const id = String(Math.random());

const jobs = {
  async increment() {
    fs.writeFileSync(`${dir}/inside`, id);
    const before = Number(fs.readFileSync(`${dir}/counter`, "utf8"));
    await setImmediate();
    fs.writeFileSync(`${dir}/new-${id}`, String(before + 1));
    fs.renameSync(`${dir}/new-${id}`, `${dir}/counter`);
    if (fs.readFileSync(`${dir}/inside`, "utf8") !== id) throw new Error("two holders at once");
  },
  async journal() {
    journal.follow();
    const changes = [{ path: `file-${journal.tail.seq % 5}`, from: null, to: journal.tail.hash }];
    journal.append({ session: `process-${process.pid}`, tool: "test", outcome: "applied", changes });
    if (journal.tail.seq % 7 === 0) journal.head("file-1");
  },
  async hold() {
    say("holding");
    await new Promise(() => setInterval(() => {}, 1000));
  },
};

for (let i = 1; i <= Number(count); i++) {
  const release = await lock.acquire({ timeoutMs: 50_000 });
  await jobs[job]();
  release();
  say(i);
}
lock.close();
journal?.close();
process.disconnect?.();
