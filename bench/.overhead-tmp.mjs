import { measureAdapters } from "/work/wt/adapters/bench/speed/adapters.mjs";
import "/work/wt/adapters/bench/own-register.mjs";
import { adapterTables } from "/work/wt/adapters/bench/report/adapters.mjs";
const overhead = await measureAdapters({ quick: process.argv[2] === "quick" });
const pct = (r) => ((r.median - 1) * 100).toFixed(1).padStart(6) + ` (${((r.low - 1) * 100).toFixed(1)}…${((r.high - 1) * 100).toFixed(1)})`;
for (const { title, direct, rows } of overhead) { console.log(title, direct.toFixed(4)); for (const r of rows) console.log(r.name.padEnd(10), "hand", pct(r.overHand).padEnd(22), "direct", pct(r.overDirect).padEnd(22), r.byHand.toFixed(4), r.adapter.toFixed(4)); }
process.exit(0);
