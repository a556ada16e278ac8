// Hours of work in minutes: what is left in the memory of a server after many calls of ten sessions. Run `npm run soak`.
import "./own-state.mjs";
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { parseArgs } from "node:util";
import { onStdio, overHttp } from "./soak/servers.mjs";
import { work } from "./soak/work.mjs";

const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "20" },
    sessions: { type: "string", default: "10" },
    samples: { type: "string", default: "20" },
    over: { type: "string", default: "stdio,http" },
    snapshots: { type: "string" },
  },
});
const [minutes, sessions, samples] = [values.minutes, values.sessions, values.samples].map(Number);
const SERVERS = { stdio: onStdio, http: overHttp };
const ways = values.over.split(",");
/** Versions read lately are kept on purpose; less than usual, so that what else grows is seen before they have filled up. */
const RECENT_BYTES = 1024 * 1024;
let allFlat = true;

for (const way of ways) {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "stet-soak-")));
  const root = mkdtempSync(join(base, "root-"));
  // a file that lies in the root and is not named may not set limits
  process.env.STET_CONFIG = join(root, "stet.config.json");
  writeFileSync(process.env.STET_CONFIG, JSON.stringify({ limits: { recentBytes: RECENT_BYTES } }));
  const server = await SERVERS[way](root, base, sessions);
  try {
    allFlat = (await soak(way, server, (minutes * 60_000) / ways.length)) && allFlat;
  } finally {
    await server.close();
    rmSync(base, { recursive: true, force: true });
  }
}
process.exitCode = allFlat ? 0 : 1;

async function soak(way, server, ms) {
  console.log(
    `${way}, ${sessions} sessions, ${(ms / 60_000).toFixed(1)} minutes; after a forced collection, ${way === "stdio" ? "mean of as many processes" : "one process"}`,
  );
  console.log("  seconds    calls   heap MiB  external   RSS MiB  descriptors");
  const began = performance.now();
  const isOver = () => performance.now() - began > ms;
  const made = { calls: 0, underWay: 0 };
  // nothing is under way while memory and descriptors are looked at
  let goOn = Promise.resolve();
  const counting = ({ request }) => ({
    async request(...given) {
      await goOn;
      made.calls += 1;
      made.underWay += 1;
      return request(...given).finally(() => {
        made.underWay -= 1;
      });
    },
  });
  const working = Promise.all(server.sessions.map((one, n) => work(counting(one), n, isOver)));
  const rows = [];
  for (let sample = 0; sample <= samples; sample++) {
    await pause(Math.max(0, began + (ms * sample) / samples - performance.now()));
    const snapshot = isSnapshot(sample) ? join(values.snapshots, `${way}-${sample}`) : undefined;
    let resume;
    goOn = new Promise((resolve) => {
      resume = resolve;
    });
    while (made.underWay > 0) await pause(20);
    await pause(500);
    rows.push(told(meanOf(await server.probe(snapshot)), made.calls, performance.now() - began));
    resume();
  }
  const counts = await working;
  const refused = counts.reduce((sum, each) => sum + each.refused, 0);
  const failed = counts.flatMap(({ failed, failure }) => (failed > 0 ? [`${failed} × ${failure}`] : []));
  console.log(`  ${made.calls} calls, ${refused} refused, ${failed.length === 0 ? "none failed" : failed.join("; ")}`);
  return judged(rows) && failed.length === 0;
}

function isSnapshot(sample) {
  return values.snapshots !== undefined && (sample === Math.ceil(samples / 3) || sample === samples);
}

function meanOf(probes) {
  const mean = (field) => probes.reduce((sum, each) => sum + each[field], 0) / probes.length;
  return { heap: mean("heapUsed"), external: mean("external"), rss: mean("rss"), descriptors: mean("descriptors") };
}

function told({ heap, external, rss, descriptors }, calls, ms) {
  const [h, e, r] = [heap, external, rss].map((bytes) => (bytes / 1024 / 1024).toFixed(1));
  const cells = [(ms / 1000).toFixed(0), calls, h, e, r, descriptors.toFixed(1)];
  console.log(cells.map((cell, at) => String(cell).padStart([9, 9, 11, 10, 10, 13][at])).join(""));
  return { calls, heap: heap + external, rss, descriptors };
}

/** What the last two thirds grow by, as a line through them says. Flat: less than 2 MiB or a tenth of what there was. */
function judged(rows) {
  const late = rows.slice(Math.floor(rows.length / 3));
  const grown = (field) => slope(late.map((row) => [row.calls, row[field]])) * (late.at(-1).calls - late[0].calls);
  const [heap, rss, descriptors] = [grown("heap"), grown("rss"), grown("descriptors")];
  const isFlat = heap < Math.max(2 * 1024 * 1024, late[0].heap / 10) && descriptors < 2;
  const perCall = (heap / Math.max(1, late.at(-1).calls - late[0].calls)).toFixed(0);
  console.log(
    `  ${isFlat ? "flat" : "NOT flat"}: in the last two thirds the heap grew by ${mib(heap)} MiB (${perCall} bytes a call), RSS by ${mib(rss)} MiB, descriptors by ${descriptors.toFixed(1)}\n`,
  );
  return isFlat;
}

function slope(points) {
  const mean = (at) => points.reduce((sum, point) => sum + point[at], 0) / points.length;
  const [x, y] = [mean(0), mean(1)];
  const over = points.reduce((sum, [a, b]) => sum + (a - x) * (b - y), 0);
  const under = points.reduce((sum, [a]) => sum + (a - x) ** 2, 0);
  return under === 0 ? 0 : over / under;
}

function mib(bytes) {
  return (bytes / 1024 / 1024).toFixed(1);
}
