// A process or thread of its own that takes the lock over and over: child.mjs increment|hold DIR COUNT LEASE_MS
import fs from "node:fs";
import { setImmediate } from "node:timers/promises";
import { isMainThread, parentPort, workerData } from "node:worker_threads";
import { Lock } from "../../../dist/backends/disk/lock.js";

const [job, dir, count, leaseMs] = isMainThread ? process.argv.slice(2) : workerData;
const say = (message) => (isMainThread ? process.send(message) : parentPort.postMessage(message));
const lock = new Lock(`${dir}/lock`, { leaseMs: Number(leaseMs) });
const id = String(Math.random());

async function increment() {
  fs.writeFileSync(`${dir}/inside`, id);
  const before = Number(fs.readFileSync(`${dir}/counter`, "utf8"));
  await setImmediate();
  fs.writeFileSync(`${dir}/new-${id}`, String(before + 1));
  fs.renameSync(`${dir}/new-${id}`, `${dir}/counter`);
  if (fs.readFileSync(`${dir}/inside`, "utf8") !== id) throw new Error("two holders at once");
}

for (let i = 1; i <= Number(count); i++) {
  const release = await lock.acquire({ timeoutMs: 50_000 });
  if (job === "hold") {
    say("holding");
    // Asked again once it goes on after a stop.
    await new Promise((resolve) => setInterval(() => !release.isHeld() && resolve(), 20));
    say("lost");
  } else await increment();
  release();
  say(i);
}
lock.close();
process.disconnect?.();
