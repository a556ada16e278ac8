// Journals that chain and yet lie: mistyped, out of order, about paths outside, and with changes left to be finished.

import { JUNK, pathsFor, SHAS, TEXTS, TIMES } from "./hostile.mjs";
import { sha256 } from "./journal.mjs";

const FIELDS = [
  "at",
  "outcome",
  "session",
  "agent",
  "tool",
  "call",
  "changes",
  "error",
  "message",
  "of",
  "diff",
  "details",
];
const CHANGE_FIELDS = ["path", "from", "to", "fromSize", "toSize", "fromMode", "toMode", "proof", "movedFrom"];
const TEXT_FIELDS = ["session", "agent", "tool", "call", "message", "diff"];
const MODES = [0o120000, 0o104755, 0o40755, 0o777, 0o644, 0o10644, 0, 0xffff, 2 ** 31];

/** Each takes the draft of a journal, `{ segments, pending, links, random, places, kept, wanted }`, and says what it did. */
export const FORGERIES = [
  [6, mistyped],
  [6, mistypedChange],
  [4, elsewhere],
  [8, unfinished],
  [4, appended],
  [2, bait],
  [3, speaking],
  [3, numbered],
  [2, unchained],
  [3, about],
  [2, shuffled],
  [0.5, long],
];

/** Commands that come upon what was forged; one of them is likely to be run. */
const CHANGES = [
  ["call", "create_file", '{"path":"made.txt","content":"made\\n"}'],
  ["trash", "purge", "--all", "--yes"],
];
const VIEWS = [["log"], ["log", "--json"], ["trash", "list"], ["call", "audit_log", '{"includeDiff":true}', "--text"]];
const aboutEntry = (seq) => [
  ["show", seq],
  ["show", seq, "--json"],
  ["undo", seq],
  ["undo", seq, "--dry-run"],
];
const deletion = (seq) => [
  ...CHANGES,
  ["trash", "purge", seq, "--yes"],
  ["trash", "restore", seq],
  ["gc", "--max-size", "1", "--even-recent", "--yes"],
];

const entriesOf = ({ segments }) => segments.flatMap(({ entries }) => entries);
const anyEntry = (draft) => draft.random.pick(entriesOf(draft));
const anyChange = (draft) => draft.random.pick(entriesOf(draft).flatMap((entry) => [].concat(entry.changes ?? [])));
const isObject = (value) => typeof value === "object" && value !== null;

function junkFor({ random, places, kept }, field) {
  if (random.chance(0.6)) return random.pick(JUNK);
  if (field === "at") return random.pick(TIMES);
  if (["path", "movedFrom"].includes(field)) return random.pick(pathsFor(places));
  if (["from", "to"].includes(field)) return random.pick([...SHAS, ...kept]);
  if (field.endsWith("Mode")) return random.pick(MODES);
  return random.pick(TEXTS);
}

function mistyped(draft) {
  const entry = anyEntry(draft);
  const field = draft.random.pick(FIELDS);
  entry[field] = junkFor(draft, field);
  if (draft.random.chance(0.1)) delete entry[field];
  draft.wanted.push(...VIEWS, ...aboutEntry(entry.seq));
  return `entry ${entry.seq}: ${field} mistyped`;
}

function mistypedChange(draft) {
  const change = anyChange(draft);
  const field = draft.random.pick(CHANGE_FIELDS);
  if (!isObject(change)) return "nothing";
  change[field] = junkFor(draft, field);
  if (draft.random.chance(0.1)) delete change[field];
  draft.wanted.push(...VIEWS, ...CHANGES);
  return `a change of ${String(change.path).slice(0, 40)}: ${field} mistyped`;
}

/** Well typed as far as a path or a sha can be, and not what they were. */
function elsewhere(draft) {
  const { random, places, kept } = draft;
  const change = anyChange(draft);
  if (!isObject(change)) return "nothing";
  const field = random.pick(["path", "from", "to", "movedFrom"]);
  change[field] = random.pick(field === "path" || field === "movedFrom" ? pathsFor(places) : [...SHAS, ...kept, null]);
  return `a change: ${field} is ${JSON.stringify(change[field])?.slice(0, 60)}`;
}

/** As a process leaves it that died while committing: recovery would finish it. */
function unfinished(draft) {
  const { random, places, kept, pending } = draft;
  const count = 1 + random.below(2);
  const changes = [];
  const entry = appendedEntry(draft, { outcome: random.chance(0.9) ? "applied" : "refused", changes });
  for (let n = 0; n < count; n++) {
    const text = `#!/bin/sh\necho forged ${n}\n`;
    const deletes = random.chance(0.2);
    changes.push({
      path: random.pick(pathsFor(places)),
      from: random.pick([null, null, sha256("x"), ...kept, currentSha(draft)]),
      to: deletes ? null : random.chance(0.9) ? sha256(text) : random.pick([...SHAS, ...kept]),
      toSize: text.length,
      ...(random.chance(0.5) && { toMode: random.pick(MODES) }),
      proof: "absence",
    });
    pending.set(`${entry.seq}-${n}-${deletes ? "delete" : "new"}`, deletes ? "" : text);
    if (random.chance(0.2)) pending.set(`${entry.seq}-${n}-gone`, "what was there\n");
    if (random.chance(0.1)) pending.set(`${entry.seq}-${n}-redo`, "");
  }
  draft.wanted.push(...CHANGES);
  return `entry ${entry.seq} unfinished: ${changes.map(({ path }) => JSON.stringify(path).slice(0, 60)).join(", ")}`;
}

function currentSha({ random, workspace }) {
  return sha256(random.pick([...workspace.values()]));
}

function appendedEntry(draft, fields) {
  const last = draft.segments.at(-1);
  const before = last.entries.at(-1)?.seq;
  const seq = (Number.isSafeInteger(before) ? before : 50) + 1;
  const entry = {
    seq,
    at: "2026-01-31T13:00:00.000Z",
    session: "forged",
    agent: "forger",
    tool: "write_file",
    ...fields,
  };
  last.entries.push(entry);
  return entry;
}

/** A deletion or a change that never was, of something outside or inside. */
function appended(draft) {
  const { random, places, kept } = draft;
  const shas = random.chance(0.5) ? SHAS : [...kept, currentSha(draft)];
  const [from, to] = random.pick([
    [random.pick(shas), null],
    [random.pick(shas), null],
    [null, random.pick(shas)],
    [random.pick(shas), random.pick(shas)],
  ]);
  const change = {
    path: random.pick(pathsFor(places)),
    from,
    to,
    fromSize: 5,
    toSize: 5,
    fromMode: random.pick(MODES),
  };
  const diff = "--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-never\n+was\n";
  const outcome = random.pick(["applied", "applied", "applied", "external", "aborted", "note"]);
  const entry = appendedEntry(draft, { outcome, changes: [change], ...(random.chance(0.5) && { diff }) });
  draft.wanted.push(...aboutEntry(entry.seq), ...deletion(entry.seq));
  return `entry ${entry.seq} appended: ${JSON.stringify(change.path).slice(0, 60)} ${String(from).slice(0, 20)}`;
}

/** In the trash, so it says, lies a file that anyone can purge or restore; the name of its bytes leads elsewhere. */
function bait(draft) {
  const from = draft.random.pick(SHAS);
  const entry = appendedEntry(draft, {
    outcome: "applied",
    changes: [{ path: "bait.txt", from, to: null, fromSize: 5 }],
  });
  draft.wanted.push(...deletion(entry.seq));
  return `entry ${entry.seq} deleted ${JSON.stringify(from)}`;
}

function speaking(draft) {
  const { random } = draft;
  const entry = anyEntry(draft);
  for (const field of TEXT_FIELDS) if (random.chance(0.5)) entry[field] = random.pick(TEXTS);
  if (random.chance(0.5)) entry.details = { [random.pick(TEXTS)]: random.pick(TEXTS), deep: [random.pick(TEXTS)] };
  draft.wanted.push(...VIEWS, ...aboutEntry(entry.seq));
  return `entry ${entry.seq} speaks`;
}

function numbered(draft) {
  const { random } = draft;
  const entry = anyEntry(draft);
  const was = entry.seq;
  entry.seq = random.pick([0, -1, 1, was + 1, was - 1, was + 5, 2 ** 53 - 1, 2 ** 53, 1e21, `${was}`, null, 1.5]);
  if (random.chance(0.3)) draft.segments.at(-1).firstSeq = random.pick([1, 5, 601, 2 ** 53 - 1]);
  return `entry ${was} is numbered ${entry.seq}`;
}

function unchained(draft) {
  const { random } = draft;
  const entry = anyEntry(draft);
  const field = random.pick(["$prev", "$hash"]);
  entry[field] = random.pick([5, [], {}, "", "\u001b[2J", "0".repeat(64), "A".repeat(64), sha256("x"), "../x"]);
  return `entry ${entry.seq}: ${field}`;
}

/** What an entry undoes, restores from or speaks about. */
function about(draft) {
  const { random } = draft;
  const entry = anyEntry(draft);
  entry.of = random.pick([[entry.seq], [entry.seq + 1], [2 ** 53 - 1], [1, 1, 1], Array(5000).fill(2), [], [3, 4, 5]]);
  entry.tool = random.pick(["undo", "stet undo", "restore_file", "recovery", "stet trash purge", "stet gc", "sign"]);
  if (random.chance(0.4)) entry.outcome = random.pick(["aborted", "note", "applied"]);
  if (random.chance(0.4))
    entry.details = random.pick([{ dropped: ["../x", 5] }, { checkpoint: 5 }, { purged: [null] }, {}]);
  draft.wanted.push(...VIEWS, ...aboutEntry(entry.seq), ["undo", "--session", "session-0", "--yes"]);
  return `entry ${entry.seq} is about ${JSON.stringify(entry.of).slice(0, 30)}`;
}

function shuffled(draft) {
  const { random, segments } = draft;
  const segment = random.pick(segments);
  const which = random.below(4);
  if (which === 0) segment.entries.reverse();
  if (which === 1) segment.entries.splice(random.below(segment.entries.length), 1);
  if (which === 2) segment.entries.push(...segment.entries.map((entry) => structuredClone(entry)));
  if (which === 3) segments.splice(random.below(segments.length - 1), 1);
  return `segment ${segment.firstSeq}: ${["reversed", "one left out", "twice", "one segment left out"][which]}`;
}

/** So many that a snapshot of the last words is due at the next change, and a link lies where it once was written. */
function long(draft) {
  const last = draft.segments.at(-1);
  const from = last.entries.at(-1)?.seq;
  if (!(from < 600)) return "nothing";
  const note = { at: "2026-01-31T12:30:00.000Z", session: "long", tool: "note", outcome: "note", changes: [] };
  for (let seq = from + 1; seq <= 600; seq++) last.entries.push({ seq, ...note });
  const name = draft.random.pick([
    "0000000000000601.heads.tmp",
    "0000000000000601.heads.json",
    "0000000000000601.jsonl",
  ]);
  draft.links.set(`journal/${name}`, draft.random.pick(["../../../victim.txt", "../../../not-there-yet", "/dev/zero"]));
  draft.wanted.push(CHANGES[0]);
  return `600 entries, and ${name} is a link`;
}
