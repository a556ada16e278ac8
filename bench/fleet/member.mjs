// One server of the fleet, in a process of its own: opens workspaces and does what it is told over its channel.
import "../own-state.mjs";
import { openPool, postgres } from "../../dist/backends/postgres/index.js";
import { openWorkspace, Refusal } from "../../dist/index.js";

const [, , url = ""] = process.argv;
const onDisk = url.startsWith("/");
const pool = onDisk ? undefined : await openPool(url, { connections: 12 });
/** @type {Map<string, ReturnType<typeof openWorkspace>>} */
const open = new Map();
/** What goes on until it is told to stop. */
let goesOn = true;

/** @type {Record<string, (given: any) => Promise<unknown>>} */
const ORDERS = { write, textAt, shaAt, edits, increments, from, load, rounds, memory, verify, stop };

process.on("message", async (/** @type {any} */ { id, order, given }) => {
  try {
    say({ id, done: await ORDERS[order]?.(given) });
  } catch (error) {
    say({ id, failed: error instanceof Refusal ? error.kind : String(error), text: String(error) });
  }
});
process.on("disconnect", () => process.exit());
say({ ready: true });

/** @param {object} what */
function say(what) {
  if (process.connected) process.send?.(what);
}

/** @param {string} name */
async function workspace(name) {
  const known = open.get(name);
  if (known !== undefined) return known;
  const made = onDisk
    ? openWorkspace({ root: `${url}/${name}`, durability: "full" })
    : openWorkspace({ backend: await postgres({ database: /** @type {any} */ (pool), workspace: name }) });
  open.set(name, made);
  return made;
}

/** @param {{ name: string, path: string, text: string }} given */
async function write({ name, path, text }) {
  return put((await workspace(name)).session(), path, text);
}

/** Whatever is there. @param {any} session @param {string} path @param {string} text */
async function put(session, path, text) {
  const made = await session.create(path, text).catch((/** @type {any} */ error) => {
    if (error.kind !== "already_exists") throw error;
    return session.write(path, text, { proof: { by: "waived" } });
  });
  return made.files[0].after;
}

/** @param {{ name: string, path: string }} given */
async function textAt({ name, path }) {
  return (await (await workspace(name)).session().read(path)).body;
}

/** @param {{ name: string, path: string }} given */
async function shaAt({ name, path }) {
  return (await (await workspace(name)).session().read(path)).sha;
}

/** As many sessions as there are places, each with a file of its own, which it changes from the version it knows. */
async function edits({ places, ms, bytes }) {
  const line = "x".repeat(79);
  const lines = Array.from({ length: bytes / 80 }, () => line);
  const text = (/** @type {number} */ n) => `${lines.with(n % lines.length, `changed ${n}`.padEnd(79)).join("\n")}\n`;
  const ready = await Promise.all(
    places.map(async (/** @type {{ name: string, path: string }} */ { name, path }) => {
      const session = (await workspace(name)).session();
      return { session, path, sha: await put(session, path, text(0)) };
    }),
  );
  const until = performance.now() + ms;
  let made = 0;
  await Promise.all(
    ready.map(async (each) => {
      for (let n = 1; performance.now() < until; n++) {
        const { files } = await each.session.write(each.path, text(n), { expectedSha256: each.sha });
        each.sha = files[0]?.after;
        made++;
      }
    }),
  );
  return made;
}

/** Adds one, so many times, from the version just read; what is stale is read again. */
async function increments({ name, path, times }) {
  const session = (await workspace(name)).session();
  let stale = 0;
  for (let n = 0; n < times; n++) {
    for (;;) {
      const { body, sha } = await session.read(path);
      try {
        await session.write(path, `${Number(body) + 1}`, { expectedSha256: sha });
        break;
      } catch (error) {
        if (!(error instanceof Refusal) || !AGAIN.has(error.kind)) throw error;
        stale++;
      }
    }
  }
  return stale;
}

const AGAIN = new Set(["stale_file", "busy"]);

/** One change from a version that others know too. */
async function from({ name, path, sha, text }) {
  const session = (await workspace(name)).session();
  await session.write(path, text, { expectedSha256: sha });
  return "won";
}

/** Counts in a file of its own and says every number that was acknowledged, until it is told to stop. */
async function load({ name, path }) {
  // it may be told to stop while the workspace is opened
  goesOn = true;
  const session = (await workspace(name)).session();
  let refused = 0;
  while (goesOn) {
    try {
      const { body, sha } = await session.read(path);
      const next = Number(body) + 1;
      await session.write(path, `${next}`, { expectedSha256: sha });
      say({ acknowledged: next, path });
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      say({ refused: error.kind, path });
      refused++;
    }
  }
  return refused;
}

async function stop() {
  goesOn = false;
}

/** How long one change takes, in microseconds, again and again in one workspace. */
async function rounds({ name, times }) {
  const session = (await workspace(name)).session();
  let sha = await put(session, "timed.txt", "0\n");
  const each = [];
  for (let n = 1; n <= times; n++) {
    const begun = performance.now();
    const { files } = await session.write("timed.txt", `${n}\n`, { expectedSha256: sha });
    each.push((performance.now() - begun) * 1000);
    sha = files[0]?.after;
  }
  return each;
}

/** Opens, changes and closes workspaces one after the other; in MiB, what the process holds after each part of them. */
async function memory({ names, parts }) {
  const held = [];
  for (const [n, name] of names.entries()) {
    await write({ name, path: "a.txt", text: `${n}\n` });
    await open.get(name)?.close();
    open.delete(name);
    if ((n + 1) % Math.ceil(names.length / parts) !== 0) continue;
    globalThis.gc?.();
    held.push(process.memoryUsage().heapUsed / 1024 ** 2);
  }
  return held;
}

/** @param {{ name: string, expectedHead?: string }} given */
async function verify({ name, expectedHead }) {
  const { backend } = await workspace(name);
  const { ok, entries } = await backend.verify(expectedHead === undefined ? {} : { expectedHead });
  const tail = await backend.tail();
  return { ok, entries, head: tail === null ? undefined : `${tail.seq}:${tail.hash}` };
}
