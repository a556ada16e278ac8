// Figures of the journal at growing lengths: appending, verifying, opening, reading its end, and what commands cost. `--large` adds 1M entries.
import "./own-state.mjs";
import { hash } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { measureCommands } from "./journal-commands.mjs";

const [{ Log }, { streamEntries }, { verifyLog }] = await Promise.all([
  import("../dist/backends/disk/log/log.js"),
  import("../dist/backends/disk/log/query.js"),
  import("../dist/backends/disk/log/verify.js"),
]).catch((error) => {
  console.error("Build first: npm run build");
  throw error;
});
/** As after an orderly end: all entries were whole before. */
const openLog = (dir, settled = 0) => new Log(dir, { segmentBytes: 4 * 1024 * 1024, settledSeq: () => settled });

const lengths = [1_000, 100_000, ...(process.argv.includes("--large") ? [1_000_000] : [])];
console.log("entries    bytes/entry  append/s   verify/s   open ms  tail ms  first head ms  follow µs");

for (const length of lengths) {
  const dir = mkdtempSync(join(tmpdir(), "stet-bench-"));
  try {
    await measure(dir, length, await fill(dir, length));
  } finally {
    rmSync(dir, { recursive: true });
  }
}

for (const length of lengths) await measureCommands(length, console.log);

async function fill(dir, length) {
  const journal = openLog(dir);
  const shas = Array.from({ length: 64 }, (_, i) => hash("sha256", String(i)));
  let bytes = 0;
  const appending = timed(() => {
    for (let i = 0; i < length; i++) journal.record(draft(i, shas));
  });
  for await (const entry of streamEntries(journal.reach(), { limit: 100 })) bytes += JSON.stringify(entry).length + 1;
  const started = performance.now();
  const { ok, entries } = await verifyLog(dir);
  const verifying = performance.now() - started;
  journal.close();
  if (!ok || entries !== length) throw new Error("the journal does not verify");
  return { appending, verifying, bytes: bytes / 100 };
}

async function measure(dir, length, { appending, verifying, bytes }) {
  const rounds = 20;
  let [open, tail, head, follow] = [0, 0, 0, 0];
  for (let i = 0; i < rounds; i++) {
    let journal;
    open += timed(() => (journal = openLog(dir, length)));
    const started = performance.now();
    for await (const _ of streamEntries(journal.reach(), { newestFirst: true, limit: 10 })) void _;
    tail += performance.now() - started;
    if (i === 0) head = timed(() => journal.head("src/file-1.ts"));
    follow += timed(() => {
      for (let n = 0; n < 1000; n++) journal.follow();
    });
    journal.close();
  }
  const columns = [
    [String(length), 11],
    [bytes.toFixed(0), 13],
    [((length / appending) * 1000).toFixed(0), 11],
    [((length / verifying) * 1000).toFixed(0), 11],
    [(open / rounds).toFixed(2), 9],
    [(tail / rounds).toFixed(2), 9],
    [head.toFixed(1), 15],
    [(follow / rounds).toFixed(2), 9],
  ];
  console.log(columns.map(([text, width]) => text.padEnd(width)).join(""));
}

function draft(i, shas) {
  return {
    session: `session-${i % 7}`,
    agent: "bench",
    tool: "edit_file",
    call: `call-${i}`,
    outcome: "applied",
    changes: [
      {
        path: `src/file-${i % 1000}.ts`,
        from: shas[i % 64],
        to: shas[(i + 1) % 64],
        fromSize: 1000 + i,
        toSize: 1001 + i,
        proof: "session",
      },
    ],
  };
}

function timed(work) {
  const started = performance.now();
  work();
  return performance.now() - started;
}
