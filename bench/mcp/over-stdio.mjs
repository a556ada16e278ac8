// What is measured over stdio: the start, calls per second, the search, and memory after many calls.
import { join } from "node:path";
import { alternate, report } from "./figures.mjs";
import { connect } from "./stdio-client.mjs";
import { lineOf, makeSmall, makeWide } from "./trees.mjs";

/** From starting the process to the result of the first call; `listing`: the client asks for the tools first, as most do. */
export async function starts(ours, theirs, base, { rounds, listing }) {
  const root = join(base, `start-${listing}`);
  makeSmall(root, 1);
  const values = await alternate(rounds, [ours, theirs], async (server) => {
    const begin = performance.now();
    const client = await connect(server.start(root));
    if (listing) await client.request("tools/list", {});
    await client.call(...server.read(root, "file-0.txt"));
    const took = performance.now() - begin;
    await client.close();
    return took;
  });
  const title = listing ? "start to first result, tools listed before" : "start to first result";
  pair(title, "ms", ours, theirs, values, listing ? undefined : ["≤", 0.5]);
}

/** Reads of 1 KB: one after the other, or `inFlight` at a time. */
export async function reads(ours, theirs, base, { rounds, calls, inFlight }) {
  const root = join(base, `reads-${inFlight}`);
  makeSmall(root, 50);
  const values = await withBoth([ours, theirs], root, rounds, async (server, client) => {
    const one = async (n) => void (await client.call(...server.read(root, `file-${n % 50}.txt`)));
    return perSecond(calls, inFlight, one);
  });
  pair(`read 1 KB, ${inFlight} at a time`, "calls/s", ours, theirs, values, ["≥", 1.5]);
}

/** Edits of one line, each knowing what the one before it made. */
export async function edits(ours, theirs, base, { rounds, calls, goal }) {
  const root = join(base, `edits-${ours.name.replace(/\W+/g, "-")}`);
  const roots = new Map([ours, theirs].map((server) => [server, join(root, server === ours ? "ours" : "theirs")]));
  for (const each of roots.values()) makeSmall(each, 1);
  const done = new Map();
  const values = await withBoth(
    [ours, theirs],
    (server) => roots.get(server),
    rounds,
    async (server, client) => {
      const from = done.get(server) ?? 0;
      done.set(server, from + calls);
      const place = roots.get(server);
      let last = await client.call(...server.read(place, "file-0.txt"));
      return perSecond(calls, 1, async (n) => {
        const change = { from: lineOf(from + n), to: lineOf(from + n + 1), last };
        last = await client.call(...server.edit(place, "file-0.txt", change));
      });
    },
  );
  pair("edit 1 line of 1 KB", "calls/s", ours, theirs, values, goal);
}

export async function searches(ours, theirs, base, { rounds, files }) {
  const root = join(base, "wide");
  const pattern = makeWide(root, files);
  const answers = new Map();
  const values = await withBoth([ours, theirs], root, rounds, async (server, client) => {
    const begin = performance.now();
    const result = await client.call(...server.find(root, pattern));
    const took = performance.now() - begin;
    answers.set(server, server.found(result, root).sort().join("\n"));
    return 1000 / took;
  });
  if (answers.get(ours) !== answers.get(theirs)) throw new Error("The two searches found different files.");
  pair(`find by name in ${files} files`, "searches/s", ours, theirs, values, ["≥", 15]);
}

/** After reads, with an edit every tenth call. */
export async function memory(ours, theirs, base, { rounds, calls }) {
  const values = await alternate(rounds, [ours, theirs], async (server, round) => {
    const root = join(base, `memory-${round}-${server === ours ? "ours" : "theirs"}`);
    makeSmall(root, 50);
    const client = await connect(server.start(root));
    for (let n = 0; n < calls; n++) {
      const path = `file-${n % 50}.txt`;
      const last = await client.call(...server.read(root, path));
      const turn = Math.floor(n / 50);
      if (n % 10 !== 9) continue;
      await client.call(...server.edit(root, path, { from: lineOf(turn), to: lineOf(turn + 1), last }));
      n++;
    }
    const used = client.memory();
    await client.close();
    return used;
  });
  pair(`memory after ${calls} calls`, "MiB", ours, theirs, values, ["≤", 1]);
}

async function withBoth(servers, root, rounds, measure) {
  const rootOf = typeof root === "function" ? root : () => root;
  const clients = new Map();
  for (const server of servers) clients.set(server, await connect(server.start(rootOf(server))));
  try {
    return await alternate(rounds, servers, (server) => measure(server, clients.get(server)));
  } finally {
    for (const client of clients.values()) await client.close();
  }
}

async function perSecond(calls, inFlight, one) {
  let next = 0;
  const begin = performance.now();
  await Promise.all(
    Array.from({ length: inFlight }, async () => {
      while (next < calls) await one(next++);
    }),
  );
  return (1000 * calls) / (performance.now() - begin);
}

function pair(title, unit, ours, theirs, [mine, yours], goal) {
  report(title, unit, { name: ours.name, values: mine }, { name: theirs.name, values: yours }, goal);
}
