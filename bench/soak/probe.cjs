// Loaded into a server before it starts: when a line is written to its probe, it collects garbage and tells what is left.
const { createServer } = require("node:net");
const { readdirSync } = require("node:fs");
const { writeHeapSnapshot } = require("node:v8");

const server = createServer((socket) => {
  socket.on("error", () => {});
  socket.on("data", async (line) => {
    for (let round = 0; round < 4; round++) {
      globalThis.gc();
      // what is told of objects that are gone lets go of more
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
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
