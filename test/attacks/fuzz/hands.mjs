// How mutations write: whatever they are asked for, and never through a link that an earlier one made.
import fs from "node:fs";
import { join } from "node:path";
import { NAMES, TEXTS } from "./hostile.mjs";

export const inside = (directory, name) => Buffer.concat([Buffer.from(directory), SLASH, name]);
export const shown = (path) => JSON.stringify(path.toString("latin1")).slice(0, 80);

const SLASH = Buffer.from("/");

/** Never through a link that an earlier mutation made: what lies outside stays as it is. */
export function within({ places }, path) {
  const directory = fs.realpathSync(Buffer.from(path).subarray(0, Buffer.from(path).lastIndexOf("/")));
  if (`${directory}/`.startsWith(`${places.root}/`)) return path;
  throw Object.assign(new Error(`${shown(path)} leads outside`), { code: "ELSEWHERE" });
}

export function removed(made, path) {
  fs.rmSync(within(made, path), { recursive: true, force: true });
}

export function write(made, path, text) {
  removed(made, path);
  fs.writeFileSync(path, text, { flag: "wx", mode: 0o600 });
}

export function read(made, path) {
  const stat = fs.lstatSync(within(made, path));
  if (stat.isFile() && stat.size < 1e7) return fs.readFileSync(path);
  throw Object.assign(new Error(`${shown(path)} is no file any more`), { code: "ELSEWHERE" });
}

/** Anything but what belongs there. */
export function becomes({ random, places }, path) {
  const link = (target) => [`a link to ${target}`, () => fs.symlinkSync(target, path)];
  const [what, make] = random.pick([
    link(join(places.outside, "victim.txt")),
    link(join(places.home, ".bashrc")),
    link(join(places.home, ".ssh")),
    link(join(places.outside, "nothing-there-yet")),
    link("../../../victim.txt"),
    link("/dev/zero"),
    link("/dev/stdin"),
    link("/dev/full"),
    link(places.fifo),
    link(path.toString().split("/").at(-1)),
    ["a pipe", () => fs.linkSync(places.fifo, path)],
    ["a pipe", () => fs.linkSync(places.fifo, path)],
    ["a socket", () => fs.linkSync(places.socket, path)],
    ["a directory", () => fs.mkdirSync(path)],
    ["a full directory", () => fs.mkdirSync(inside(path, NAMES[0]), { recursive: true })],
    ["20 GB", () => fs.linkSync(places.sparse, path)],
    ["20 GB after a beginning", () => sparse(path, '{"seq":1,', 20 * 2 ** 30)],
    ["a sparse file", () => sparse(path, "", random.pick([5e6, 4e7, 4e7, 2e8]))],
    ["empty", () => fs.writeFileSync(path, "")],
    ["a long line", () => fs.writeFileSync(path, "x".repeat(random.pick([5000, 1e6, 5e6])))],
    ["nested", () => fs.writeFileSync(path, "[".repeat(2e5))],
    ["text", () => fs.writeFileSync(path, random.pick(TEXTS))],
    ["chance", () => fs.writeFileSync(path, random.bytes(300))],
    ["nothing", () => undefined],
  ]);
  make();
  return what;
}

function sparse(path, text, size) {
  fs.writeFileSync(path, text);
  fs.truncateSync(path, size);
}
