// What a forger puts into the files of a state, other than its journal, and around them: well formed, and not true.
import fs from "node:fs";
import { join } from "node:path";
import { becomes, removed, shown, write } from "./hands.mjs";
import { pathsFor, SHAS, TEXTS } from "./hostile.mjs";
import { lastWords, segmentName, sha256, snapshotOf } from "./journal.mjs";

/** As in mutations.mjs. */
export const FORGED_FILES = [
  [4, lock],
  [4, heads],
  [2, identity],
  [3, checkpoints],
  [2, git],
  [3, workspace],
];

/** Of both kinds; who holds it lives, is dead, or is no process. */
function lock(made) {
  const { random, places } = made;
  const directory = join(places.state, "lock");
  const owner = random.chance(0.5) ? deadOwner(random) : anyOwner(random);
  const text = random.chance(0.9) ? JSON.stringify(owner) : random.pick(TEXTS);
  const name = random.pick(["held", "held", "held", "waiting", `owner-${ZEROES}`, `dead-${ZEROES}`, "lock-kind"]);
  if (random.chance(0.6)) write(made, join(directory, "lock-kind"), "lease\n");
  write(made, join(directory, name), text);
  if (name === "held" && random.chance(0.3)) write(made, join(directory, `dead-${ZEROES}`), text);
  // On the way to what its nonce names.
  if (random.chance(0.7)) fs.mkdirSync(join(directory, "dead-x"), { recursive: true });
  made.wanted.push(["call", "create_file", '{"path":"made.txt","content":"made\\n"}']);
  return `lock: ${name} says ${text.slice(0, 200)}`;
}

const ZEROES = "0".repeat(16);
const NONCES = [
  "x/../../../../x",
  "x/../../../../x",
  "../x",
  ZEROES,
  "f".repeat(16),
  "",
  "/etc/x",
  5,
  null,
  "\u001b[2J",
];
const boot = () => fs.readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
const namespace = () => fs.readlinkSync("/proc/self/ns/pid");

/** By every fact: who comes next takes the lock over. */
function deadOwner(random) {
  const pid = 2 ** 22 + 5;
  return { pid, thread: pid, start: "12345", boot: boot(), pidNamespace: namespace(), nonce: random.pick(NONCES) };
}

function anyOwner(random) {
  const pid = random.pick([2 ** 22 + 5, 1, process.pid, -1, 0, "1", 1e308]);
  return {
    pid,
    thread: pid,
    start: random.pick(["", "12345", 5, "x".repeat(5000)]),
    boot: random.pick(["", "another", boot(), 5]),
    pidNamespace: random.pick(["", namespace(), "pid:[1]"]),
    nonce: random.pick(NONCES),
  };
}

/** Well summed and of the right entry, and not what the entries say. */
function heads(made) {
  const { random, places, segments, hashes, kept } = made;
  const all = segments.flatMap(({ entries }) => entries).filter(({ seq }) => Number.isSafeInteger(seq));
  const seq = random.pick(all)?.seq ?? 1;
  const rows = safely(() => lastWords(segments, seq)) ?? [];
  const row = [
    random.pick(pathsFor(places)),
    random.pick([1, 2, seq, -1, "1", null]),
    random.pick([null, ...SHAS, ...kept]),
  ];
  const forged = random.pick([
    [...rows, row],
    [row],
    [...rows, null],
    { length: 5 },
    null,
    rows,
    Array(2000).fill(row),
  ]);
  const prev = random.chance(0.9) ? (hashes.get(seq - 1) ?? "0".repeat(64)) : random.pick(SHAS);
  const name = segmentName(random.chance(0.9) ? seq : 601, random.chance(0.9) ? "heads.json" : "heads.tmp");
  write(made, join(places.state, "journal", name), snapshotOf(forged, seq, prev));
  return `snapshot ${name} with ${JSON.stringify(row).slice(0, 80)}`;
}

function identity(made) {
  const { random, places } = made;
  const [name, texts] = random.pick([
    ["id", ["", "\n", "x\n", `${"5e".repeat(16)}`, `${"5f".repeat(16)}\n`, `${"5E".repeat(16)}\n`, "../x\n", null]],
    ["format", ["", "2\n", "999999999\n", "1", "\u001b[2J", "x".repeat(64), "1\n1\n", null]],
    [".gitignore", ["", "!*\n", null]],
  ]);
  const text = random.pick(texts);
  removed(made, join(places.state, name));
  if (text !== null) write(made, join(places.state, name), text);
  return `${name} says ${JSON.stringify(text)}`;
}

function checkpoints(made) {
  const { random, places, hashes } = made;
  const hash = random.pick([...hashes.values(), sha256("x")]);
  const line = `stet1:${random.pick([1, 5, 0, 999_999])}:${hash}:2026-01-31T12:00:00.000Z:${"A".repeat(86)}`;
  const text = random.pick([
    line,
    JSON.stringify({ checkpoint: line }),
    `${line}\n`.repeat(2000),
    ...TEXTS,
    "[".repeat(1e5),
  ]);
  write(made, join(places.state, "journal", "checkpoints.jsonl"), `${text}\n`);
  return `checkpoints: ${JSON.stringify(text).slice(0, 60)}`;
}

function git(made) {
  const { random, places } = made;
  const directory = join(places.root, ".git");
  if (random.chance(0.2)) {
    fs.renameSync(directory, join(places.root, "was-git"));
    if (random.chance(0.5)) return `.git is ${becomes(made, directory)}`;
    const target = random.pick(["../deep", "was-git", "/dev", places.fifo, "\u001b[2J", "x".repeat(5000)]);
    fs.writeFileSync(directory, `gitdir: ${target}\n`);
    return `.git leads to ${target.slice(0, 60)}`;
  }
  const name = random.pick(["index", "index", "index", "HEAD", `sharedindex.${"0".repeat(40)}`]);
  const path = join(directory, name);
  removed(made, path);
  if (name === "HEAD" || random.chance(0.4)) return `.git/${name} is ${becomes(made, path)}`;
  const tracked = random.pick([".stet/journal/0000000000000001.jsonl", ".stet/id", ".stets", "a.txt", "\u001b[2J"]);
  const index = indexOf(tracked, random.pick([2, 2, 3, 4, 5, 0]));
  const cut = random.chance(0.3) ? random.below(index.length) : index.length;
  write(made, path, index.subarray(0, cut));
  return `.git/${name} tracks ${JSON.stringify(tracked)}, ${cut} of ${index.length} bytes`;
}

/** One entry, as git writes it up to version 3. */
function indexOf(name, version) {
  const header = Buffer.alloc(12);
  header.write("DIRC");
  header.writeUInt32BE(version, 4);
  header.writeUInt32BE(1, 8);
  const entry = Buffer.alloc((62 + name.length + 8) & ~7);
  entry.writeUInt16BE(name.length, 60);
  entry.write(name, 62, "latin1");
  return Buffer.concat([header, entry, Buffer.alloc(20)]);
}

/** The files that the entries speak of. */
function workspace(made) {
  const { random, places } = made;
  const path = join(
    places.root,
    random.pick(["a.txt", "README.md", "src", "src/main.js", "notes", "old.txt", "new.txt"]),
  );
  removed(made, path);
  return `${shown(path)} is ${becomes(made, path)}`;
}

function safely(work) {
  try {
    return work();
  } catch {
    return undefined;
  }
}
