// Lays out one workspace with its state: made here, made elsewhere, from before there were records, or taken over.
import fs from "node:fs";
import { dirname, join } from "node:path";
import { markOf } from "../../../dist/backends/disk/commit/pending.js";
import { written } from "./journal.mjs";
import { STATE_ID } from "./template.mjs";

const KEY = "f".repeat(64);

export const KINDS = [
  [45, "ours"],
  [15, "ours, locked by links"],
  [12, "foreign"],
  [12, "legacy"],
  [10, "adopted"],
  [6, "copied"],
];

/** `segments`, `pending` and `links` as forged; gives the hashes of the entries. */
export function layOut(places, template, kind, { segments, pending, links, snapshot }) {
  const { root, state } = places;
  cleared(root);
  for (const path of directoriesOf(template)) fs.mkdirSync(`${root}/${path}`);
  for (const [path, bytes] of template.workspace) fs.writeFileSync(`${root}/${path}`, bytes);
  fs.symlinkSync("..", join(root, "away"));
  fs.mkdirSync(state, { mode: 0o700 });
  for (const name of ["journal", "objects", "pending", "lock"]) fs.mkdirSync(join(state, name), { mode: 0o700 });
  for (const [path, bytes] of template.others) fs.writeFileSync(join(state, path), bytes, { mode: 0o600 });
  const journal = written(segments);
  for (const { name, text } of journal.files) fs.writeFileSync(join(state, "journal", name), text, { mode: 0o600 });
  if (snapshot !== undefined) fs.writeFileSync(join(state, "journal", snapshot.name), snapshot.text, { mode: 0o600 });
  for (const [name, bytes] of pending) fs.writeFileSync(join(state, "pending", marked(name)), bytes, { mode: 0o600 });
  for (const [name, target] of links) linked(target, join(state, name));
  if (kind === "ours, locked by links") lockedByLinks(state);
  if (kind === "adopted") put(join(state, "aside/state-2026-01-31T12-00-00.000Z-00000000/format"), "1\n");
  if (kind !== "legacy") fs.writeFileSync(join(state, "id"), `${STATE_ID}\n`, { mode: 0o600 });
  recorded(places, kind);
  return journal;
}

/** Of its files, each after the one it lies in; looked for once. */
function directoriesOf(template) {
  template.directories ??= [...template.workspace.keys()]
    .flatMap((path) => [...path.matchAll(/\//g)].map(({ index }) => path.slice(0, index)))
    .filter((path, n, all) => all.indexOf(path) === n);
  return template.directories;
}

/** With the mark that only this state can give, or nothing of it would be looked at any further. */
function marked(name) {
  const seq = /^(\d+)-\d+-\w+$/.exec(name)?.[1];
  return seq === undefined || Number(seq) % 8 === 0 ? name : `${name}-${markOf(KEY, Number(seq))}`;
}

/** A forged number can have given a file that very name. */
function linked(target, path) {
  fs.rmSync(path, { force: true });
  fs.symlinkSync(target, path);
}

function lockedByLinks(state) {
  for (const name of ["held", "waiting"]) fs.rmSync(join(state, "lock", name), { force: true });
  fs.writeFileSync(join(state, "lock/lock-kind"), "lease\n", { mode: 0o600 });
}

/** In the user's register, as stet writes it when it makes a state. */
function recorded({ register, state }, kind) {
  for (const name of fs.readdirSync(register)) fs.rmSync(join(register, name), { recursive: true });
  if (kind === "foreign" || kind === "legacy") return;
  const { dev, ino, birthtimeNs, uid } = fs.statSync(state, { bigint: true });
  const record = {
    id: STATE_ID,
    key: KEY,
    dev: `${dev}`,
    ino: kind === "copied" ? `${ino + 1n}` : `${ino}`,
    born: `${birthtimeNs}`,
    uid: Number(uid),
    path: state,
    modes: true,
    elsewhere: kind === "adopted" ? 7 : 0,
  };
  fs.writeFileSync(join(register, `${STATE_ID}.json`), `${JSON.stringify(record)}\n`, { mode: 0o600 });
}

/** True when no mutation can have made it anything else: then no command but `adopt` may change anything at all. */
export function isCertainlyForeign({ state }, kind) {
  if (kind !== "foreign" && kind !== "copied") return false;
  try {
    const id = join(state, "id");
    return fs.lstatSync(id).isFile() && fs.readFileSync(id, "latin1") === `${STATE_ID}\n`;
  } catch {
    return false;
  }
}

function put(path, bytes) {
  fs.mkdirSync(dirname(path), { recursive: true });
  fs.writeFileSync(path, bytes);
}

/** The root itself stays, so that its parent does. */
function cleared(root) {
  try {
    emptied(Buffer.from(root));
  } catch {
    opened(Buffer.from(root));
    emptied(Buffer.from(root));
  }
}

/** Much quicker than `rmSync`. */
function emptied(directory) {
  for (const entry of fs.readdirSync(directory, { encoding: "buffer", withFileTypes: true })) {
    const path = Buffer.concat([directory, SLASH, entry.name]);
    if (entry.isDirectory()) {
      emptied(path);
      fs.rmdirSync(path);
    } else fs.unlinkSync(path);
  }
}

const SLASH = Buffer.from("/");

/** Directories that nobody may look into are opened first. */
function opened(path) {
  if (!fs.lstatSync(path).isDirectory()) return;
  fs.chmodSync(path, 0o700);
  for (const name of fs.readdirSync(path, { encoding: "buffer" })) opened(Buffer.concat([path, SLASH, name]));
}
