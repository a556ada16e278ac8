// What is done to the files of a state: their bytes, kinds, sizes, names and owners.
import fs from "node:fs";
import { dirname, join } from "node:path";
import { FORGED_FILES } from "./forged-files.mjs";
import { becomes, inside, read, removed, shown, within, write } from "./hands.mjs";
import { NAMES } from "./hostile.mjs";

/** Each takes `{ places, random, segments, hashes, files, kept, wanted }` and says what it did. */
export const MUTATIONS = [
  [10, bytes],
  [10, otherKind],
  [4, planted],
  [3, otherDirectory],
  [4, names],
  [2, access],
  ...FORGED_FILES,
];

const DIRECTORIES = ["journal", "objects", "pending", "lock", "aside"];
const anyFile = ({ random, files }) => random.pick(random.pick(files));

function bytes(made) {
  const { random } = made;
  const path = anyFile(made);
  const old = read(made, path);
  const at = random.below(old.length + 1);
  const span = random.pick([1, 2, 10, 100]);
  const replaced = (between, skip) => Buffer.concat([old.subarray(0, at), between, old.subarray(at + skip)]);
  const [what, next] = random.pick([
    ["flipped", () => replaced(Buffer.from([(old[at] ?? 0) ^ (1 << random.below(8))]), 1)],
    ["inserted", () => replaced(random.bytes(span), 0)],
    ["overwritten", () => replaced(random.bytes(span), span)],
    ["deleted", () => replaced(Buffer.alloc(0), span)],
    ["cut", () => old.subarray(0, at)],
    ["repeated", () => Buffer.concat([old, old.subarray(at)])],
    ["zeroes", () => replaced(Buffer.alloc(span * 100), 0)],
    ["line end", () => replaced(Buffer.from("\n"), 0)],
    ["line ends", () => Buffer.concat([old, Buffer.from("\n\n\n")])],
    ["torn tail", () => Buffer.concat([old, Buffer.from('{"seq":')])],
  ]);
  write(made, path, next());
  return `bytes of ${shown(path)}: ${what} at ${at}`;
}

function otherKind(made) {
  const path = anyFile(made);
  removed(made, path);
  return `${shown(path)} is ${becomes(made, path)}`;
}

/** Where stet may look although nothing was there. */
function planted(made) {
  const { random, places } = made;
  const path = inside(join(places.state, random.pick([".", ...DIRECTORIES])), random.pick(NAMES));
  removed(made, path);
  return `${shown(path)} is ${becomes(made, path)}`;
}

function otherDirectory(made) {
  const { random, places } = made;
  const path = random.chance(0.3) ? places.state : join(places.state, random.pick(DIRECTORIES));
  const isThere = fs.lstatSync(within(made, path), { throwIfNoEntry: false }) !== undefined;
  if (isThere && !fs.existsSync(join(places.root, "moved"))) fs.renameSync(path, join(places.root, "moved"));
  removed(made, path);
  if (random.chance(0.2)) {
    fs.symlinkSync(join(places.root, "moved"), path);
    return `${shown(path)} is a link to what it was`;
  }
  return `${shown(path)} is ${becomes(made, path)}`;
}

function names(made) {
  const { random, places } = made;
  const path = anyFile(made);
  const to = inside(
    random.chance(0.7) ? dirname(path) : join(places.state, random.pick(DIRECTORIES)),
    random.pick(NAMES),
  );
  if (random.chance(0.5)) fs.renameSync(within(made, path), within(made, to));
  else write(made, to, read(made, path));
  return `${shown(path)} is also or only ${shown(to)}`;
}

function access(made) {
  const { random, places } = made;
  const path = random.pick([anyFile(made), places.state, join(places.state, random.pick(DIRECTORIES))]);
  if (fs.lstatSync(within(made, path)).isSymbolicLink()) return "nothing";
  if (process.getuid() === 0 && random.chance(0.4)) {
    fs.lchownSync(path, 12_345, 12_345);
    return `${shown(path)} belongs to another`;
  }
  const mode = random.pick([0, 0o200, 0o400, 0o777, 0o755, 0o4755, 0o1777]);
  fs.chmodSync(path, mode);
  return `${shown(path)} has mode ${mode.toString(8)}`;
}
