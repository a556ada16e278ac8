// A workspace and its state as stet itself makes them, with entries of every kind, and with the same bytes in every run.
import fs from "node:fs";
import { join } from "node:path";
import { lastWords, segmentName, sha256, snapshotOf, written } from "./journal.mjs";
import { CANARY } from "./places.mjs";

export const CONFIG = { limits: { segmentBytes: 2500, lockMs: 20 }, durability: "fast" };
export const STATE_ID = "5e".repeat(16);

const numbered = (name, count) => Array.from({ length: count }, (_, n) => `${name} ${n + 1}\n`).join("");

const BEGUN = {
  "README.md": numbered("readme", 6),
  "a.txt": numbered("line", 12),
  "src/main.js": numbered("// code", 9),
  "notes/todo.txt": numbered("todo", 4),
  "old.txt": numbered("old", 5),
  ".env": `TOKEN=${CANARY}\n`,
  ".mcp.json": "{}\n",
  "stet.config.json": `${JSON.stringify(CONFIG)}\n`,
  ".git/HEAD": "ref: refs/heads/main\n",
  ".git/hooks/pre-push.sample": "#!/bin/sh\n",
};

export async function makeTemplate(places, run) {
  const root = join(places.base, "template");
  for (const [path, text] of Object.entries(BEGUN)) put(root, path, text);
  const stet = async (...args) => {
    const ran = await run(args, root);
    if (ran.code > 1) throw new Error(`${args.join(" ")}: ${ran.out}${ran.err}`);
  };
  const call = (tool, input) => stet("call", tool, JSON.stringify(input), "--session", "first", "--agent", "maker");
  const expecting = (path) => ({ path, expectedSha256: sha256(fs.readFileSync(join(root, path))) });
  await call("create_file", { path: "new.txt", content: numbered("new", 3) });
  await call("edit_file", { ...expecting("a.txt"), edits: [{ oldText: "line 3\n", newText: "line three\n" }] });
  await call("write_file", { ...expecting("src/main.js"), content: numbered("// other", 8) });
  await call("delete_file", expecting("old.txt"));
  await call("move_file", {
    fromPath: "notes/todo.txt",
    toPath: "notes/done.txt",
    expectedSha256: sha256(BEGUN["notes/todo.txt"]),
  });
  await stet("undo", "2");
  await call("read_file", { path: ".env" });
  put(root, "a.txt", numbered("changed by others", 7));
  await call("read_file", { path: "a.txt" });
  await call("edit_file", { ...expecting("a.txt"), edits: [{ oldText: "others 2\n", newText: "two\n" }] });
  await call("write_file", { ...expecting("README.md"), content: numbered("more", 30) });
  await call("create_file", { path: "gone.txt", content: numbered("gone", 3) });
  await call("delete_file", { ...expecting("gone.txt"), permanent: true });
  await call("create_file", { path: "empty.txt", content: "" });
  await call("delete_file", { path: "empty.txt" });
  await stet("trash", "purge", "--all", "--yes");
  await call("delete_file", { ...expecting("new.txt") });
  const state = filesIn(join(root, ".stet"));
  const segments = segmentsIn(state);
  fs.rmSync(join(root, ".stet"), { recursive: true });
  return {
    workspace: filesIn(root),
    segments,
    others: othersOf(state),
    kept: keptIn(state),
    snapshot: snapshotIn(segments),
  };
}

function put(root, path, text) {
  fs.mkdirSync(join(root, path, ".."), { recursive: true });
  fs.writeFileSync(join(root, path), text);
}

function filesIn(directory) {
  const names = fs.readdirSync(directory, { recursive: true }).sort();
  const paths = names.filter((name) => fs.lstatSync(join(directory, name)).isFile());
  return new Map(paths.map((path) => [path, fs.readFileSync(join(directory, path))]));
}

/** Times and sessions are those of no run in particular. */
function segmentsIn(state) {
  const sessions = [];
  return [...state]
    .filter(([path]) => /^journal\/\d+\.jsonl$/.test(path))
    .map(([path, bytes]) => ({
      firstSeq: Number.parseInt(path.slice("journal/".length), 10),
      entries: bytes
        .toString()
        .trimEnd()
        .split("\n")
        .map((line) => {
          const entry = JSON.parse(line);
          if (!sessions.includes(entry.session)) sessions.push(entry.session);
          const at = new Date(Date.UTC(2026, 0, 31, 12, 0, entry.seq)).toISOString();
          return { ...entry, at, session: `session-${sessions.indexOf(entry.session)}` };
        }),
    }));
}

/** Who held the lock last is another one in each run. */
function othersOf(state) {
  const files = [...state].filter(([path]) => !path.startsWith("journal/") && path !== "id");
  return new Map(files.map(([path, bytes]) => [path, path === "lock/held" ? Buffer.alloc(256, " ") : bytes]));
}

function keptIn(state) {
  return [...state.keys()].filter((path) => path.startsWith("objects/")).map((path) => path.slice("objects/".length));
}

/** A workspace gets one after hundreds of entries only. */
function snapshotIn(segments) {
  const { firstSeq } = segments[1];
  const { hashes } = written(segments);
  const text = snapshotOf(lastWords(segments, firstSeq), firstSeq, hashes.get(firstSeq - 1));
  return { name: segmentName(firstSeq, "heads.json"), text };
}
