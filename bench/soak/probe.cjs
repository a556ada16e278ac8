// Loaded into a server before it starts: when a line is written to its probe, it collects garbage and tells what is left.
const { createServer } = require("node:net");
const { readdirSync } = require("node:fs");
const { writeHeapSnapshot } = require("node:v8");

const server = createServer((socket) => {
  socket.on("error", () => {});
  socket.on("data", (line) => {
    for (let round = 0; round < 3; round++) globalThis.gc();
    const snapshot = line.toString().trim();
    if (snapshot !== "") writeHeapSnapshot(snapshot);
    const { rss, heapUsed, external } = process.memoryUsage();
    socket.write(`${JSON.stringify({ rss, heapUsed, external, descriptors: descriptors() })}\n`);
  });
});
server.listen(process.env.SOAK_PROBE).unref();

function descriptors() {
  try {
    return readdirSync("/proc/self/fd").length;
  } catch {
    return Number.NaN;
  }
}
