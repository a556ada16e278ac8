// How stet's times grow: with the number of files, the size of a file, the number of sessions, the length of the journal.
import { hash } from "node:crypto";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { appendEntries } from "../long-history.mjs";
import { spread } from "../stats.mjs";

/**
 * @typedef {{ title: string, columns: string[], rows: { size: string, values: (import("../stats.mjs").Spread | number)[] }[] }} Growth
 * @param {{ quick: boolean, progress?: (line: string) => void }} options
 * @returns {Promise<Growth[]>}
 */
export async function measureGrowth({ quick, progress = () => {} }) {
  const [{ openWorkspace }, search] = await Promise.all([fromDist("index.js"), fromDist("search/index.js")]);
  const rounds = quick ? 3 : 7;
  const growths = [];
  for (const measure of [byFiles, bySize, bySessions, byJournal]) {
    growths.push(await measure());
    progress(growths.at(-1)?.title ?? "");
  }
  return growths;

  async function byFiles() {
    const rows = [];
    for (const files of quick ? [1_000, 10_000] : [1_000, 10_000, 100_000]) {
      rows.push(
        await inDirectory(async (root) => {
          makeFiles(root, files);
          const opened = await times(rounds, async () => openWorkspace({ root }).close());
          const workspace = openWorkspace({ root, durability: "fast" });
          const session = workspace.session();
          const list = await times(rounds, () => session.read("d0/file-0.txt"));
          const edit = await times(rounds * 3, (n) =>
            session.edit("d0/file-0.txt", ({ body }) => [
              { start: 0, end: body.length, text: `needle-0 ${n}\nwords\n` },
            ]),
          );
          const glob = await times(rounds, () =>
            search.findFiles(session, { pattern: "**/*.txt", root: "", order: "newest", limit: 200 }),
          );
          const grep = await times(rounds, () =>
            search.grep(session, { pattern: "needle-77\\b", root: "", limit: 250 }),
          );
          await workspace.close();
          return { size: files.toLocaleString("en"), values: [opened, list, edit, glob, grep] };
        }),
      );
    }
    return {
      title: "Files in the workspace",
      columns: ["files", "open ms", "read ms", "edit ms", "newest 200 ms", "grep ms"],
      rows,
    };
  }

  async function bySize() {
    const rows = [];
    for (const megabytes of quick ? [1, 10] : [1, 10, 100]) {
      rows.push(
        await inDirectory(async (root) => {
          const line = `${"a line of ninety-nine characters ".repeat(3)}\n`;
          writeFileSync(join(root, "big.txt"), `value 0\n${line.repeat((megabytes * 1_000_000) / line.length)}`);
          const workspace = openWorkspace({ root, durability: "fast", policy: { maxFileBytes: 300_000_000 } });
          const session = workspace.session();
          const page = await times(rounds, () => session.read("big.txt", { from: 1, to: 100 }));
          const edit = await times(rounds, async (n) => {
            await session.read("big.txt");
            await session.edit("big.txt", () => [{ start: 6, end: 7, text: String((n + 1) % 10) }]);
          });
          await workspace.close();
          return { size: `${megabytes} MB`, values: [page, edit] };
        }),
      );
    }
    return { title: "Size of the file", columns: ["size", "first 100 lines ms", "read and edit ms"], rows };
  }

  async function bySessions() {
    const rows = [];
    for (const sessions of [1, 8, 64]) {
      rows.push(
        await inDirectory(async (root) => {
          for (let n = 0; n < sessions; n++) writeFileSync(join(root, `file-${n}.txt`), "value 0\n");
          const workspace = openWorkspace({ root, durability: "fast" });
          const each = Math.max(4, Math.round((quick ? 128 : 512) / sessions));
          const rates = [];
          for (let round = 0; round < rounds; round++) {
            const started = performance.now();
            await Promise.all(
              Array.from({ length: sessions }, async (_, n) => {
                const session = workspace.session();
                for (let i = 0; i < each; i++) {
                  await session.read(`file-${n}.txt`);
                  await session.edit(`file-${n}.txt`, ({ body }) => [
                    { start: 0, end: body.length, text: `value ${round}-${i}\n` },
                  ]);
                }
              }),
            );
            rates.push((sessions * each * 1000) / (performance.now() - started));
          }
          await workspace.close();
          return { size: String(sessions), values: [spread(rates)] };
        }),
      );
    }
    return {
      title: "Sessions at once, each reading and editing its own file",
      columns: ["sessions", "edits per second in all"],
      rows,
    };
  }

  async function byJournal() {
    const rows = [];
    for (const entries of quick ? [1_000, 100_000] : [1_000, 100_000, 1_000_000]) {
      rows.push(await inDirectory((root) => journalOf(root, entries)));
    }
    return {
      title: "Entries in the journal",
      columns: ["entries", "open ms", "last 10 ms", "append (an edit) ms", "undo ms", "verify, entries per second"],
      rows,
    };
  }

  /** @param {string} root @param {number} entries */
  async function journalOf(root, entries) {
    writeFileSync(join(root, "file.txt"), "value 0\n");
    const first = openWorkspace({ root, durability: "fast" });
    const session = first.session();
    await session.read("file.txt");
    await session.edit("file.txt", () => [{ start: 6, end: 7, text: "1" }]);
    await first.close();
    const shas = Array.from({ length: 64 }, (_, n) => hash("sha256", String(n)));
    await appendEntries(
      realpathSync(root),
      Array.from({ length: entries - 1 }, (_, n) => entryOf(n + 1, shas)),
    );

    const open = await times(rounds, async () => {
      const workspace = openWorkspace({ root });
      await workspace.session().read("file.txt");
      await workspace.close();
    });
    const workspace = openWorkspace({ root, durability: "fast" });
    const tail = await times(rounds, async () => {
      for await (const _ of workspace.log({ newestFirst: true, limit: 10 })) void _;
    });
    const acting = workspace.session();
    await acting.read("file.txt");
    /** @type {number[]} */
    const made = [];
    const append = await times(rounds, async (n) => {
      const { entry } = await acting.edit("file.txt", ({ body }) => [
        { start: 0, end: body.length, text: `value ${n + 2}\n` },
      ]);
      made.push(entry.seq);
    });
    const undone = await times(rounds, () => acting.undo({ entry: made.pop() ?? 0 }));
    const started = performance.now();
    const { ok, entries: verified } = await workspace.verify();
    const rate = (verified * 1000) / (performance.now() - started);
    await workspace.close();
    if (!ok) throw new Error("the journal does not verify");
    return { size: entries.toLocaleString("en"), values: [open, tail, append, undone, rate] };
  }
}

/** @param {number} n @param {readonly string[]} shas */
function entryOf(n, shas) {
  return {
    session: `session-${n % 7}`,
    agent: "bench",
    tool: "edit_file",
    call: `call-${n}`,
    outcome: "applied",
    changes: [
      {
        path: `src/file-${n % 1000}.ts`,
        from: shas[n % 64],
        to: shas[(n + 1) % 64],
        fromSize: 1000 + n,
        toSize: 1001 + n,
        proof: "session",
      },
    ],
  };
}

/** @param {string} root @param {number} count */
function makeFiles(root, count) {
  for (let n = 0; n < count; n++) {
    if (n % 200 === 0) mkdirSync(join(root, `d${n / 200}`));
    writeFileSync(
      join(root, `d${Math.floor(n / 200)}`, `file-${n % 200}.txt`),
      `needle-${n} here\n${"some words\n".repeat(20)}`,
    );
  }
}

/** @param {number} rounds @param {(n: number) => unknown} run */
async function times(rounds, run) {
  const measured = [];
  for (let n = 0; n < rounds; n++) {
    const started = performance.now();
    await run(n);
    measured.push(performance.now() - started);
  }
  return spread(measured);
}

/** @template T @param {(root: string) => Promise<T>} use */
async function inDirectory(use) {
  const root = mkdtempSync(join(tmpdir(), "stet-growth-"));
  try {
    return await use(root);
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

/** @param {string} file */
const fromDist = (file) => import(new URL(`../../dist/${file}`, import.meta.url).href);
