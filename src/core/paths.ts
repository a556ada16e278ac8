// Lexical rules of paths: which strings can be one, and which names may be created.
import type { Path } from "./backend.ts";
import { Refusal } from "./failure.ts";
import { LIMITS } from "./limits.ts";
import { shown } from "./printable.ts";

/** A path cut into names. `..` stays, `.` and empty parts are gone, `directory` says that a trailing slash or dot was there. */
export interface Steps {
  readonly absolute: boolean;
  readonly names: readonly string[];
  readonly directory: boolean;
}

/** Refuses what no platform call should ever see. Everything else is taken literally: no decoding, no folding, no expansion. */
export function parsePath(
  raw: string,
  {
    existed = false,
    platform = process.platform,
  }: { readonly existed?: boolean; readonly platform?: NodeJS.Platform } = {},
): Steps {
  if (raw === "" || (raw.trim() === "" && !existed)) throw invalid(raw, "The path is empty.");
  if (raw.includes("\0")) throw invalid(raw, `The path ${shown(raw)} contains a NUL character.`);
  if (hasLoneSurrogate(raw)) {
    throw invalid(raw, `The path ${shown(raw)} is not valid Unicode: it has half of a surrogate pair.`);
  }
  if (raw.length * 3 > LIMITS.pathBytes && Buffer.byteLength(raw) > LIMITS.pathBytes) {
    throw invalid(raw, `The path is longer than ${LIMITS.pathBytes} bytes.`, "Use a shorter path.");
  }
  if (platform === "win32") refuseWindowsNamespaces(raw);
  return parseTarget(raw, raw, platform);
}

/** The target of a link that `raw` led to: its names obey the same rules as if they had been typed. */
export function parseTarget(target: string, raw: string, platform: NodeJS.Platform = process.platform): Steps {
  const steps = splitPath(target, platform);
  for (const name of steps.names) checkName(raw, name, platform);
  return steps;
}

export function splitPath(text: string, platform: NodeJS.Platform = process.platform): Steps {
  const slashed = platform === "win32" ? text.replaceAll("\\", "/") : text;
  const parts = slashed.split("/");
  const last = parts[parts.length - 1];
  return {
    absolute: slashed.startsWith("/") || (platform === "win32" && /^[A-Za-z]:\//.test(slashed)),
    names: parts.filter((part) => part !== "" && part !== "."),
    directory: last === "" || last === "." || last === "..",
  };
}

/** The names of an absolute path below a root; undefined if it lies elsewhere. A root may have several spellings. */
export function namesBelow(
  spellings: readonly (readonly string[])[],
  names: readonly string[],
  platform: NodeJS.Platform = process.platform,
): readonly string[] | undefined {
  const same = (a: string, b: string | undefined): boolean =>
    a === b || (platform === "win32" && a.toLowerCase() === b?.toLowerCase());
  const root = spellings.find((each) => each.every((name, i) => same(name, names[i])));
  return root === undefined ? undefined : names.slice(root.length);
}

/** Makes an absolute path or glob relative to the root that it lies in; "." for the root itself. */
export function relativeTo(
  spellings: readonly (readonly string[])[],
  raw: string,
  platform: NodeJS.Platform = process.platform,
): string | undefined {
  const steps = splitPath(raw, platform);
  if (!steps.absolute) return undefined;
  const names = namesBelow(spellings, steps.names, platform);
  if (names === undefined) return undefined;
  return names.length === 0 ? "." : names.join("/") + (/[\\/]$/.test(raw) ? "/" : "");
}

/** `path` leads through the file, or takes it for a directory. */
export function notADirectory(path: string, file: string): Refusal {
  return new Refusal("not_a_directory", `${shown(file)} is not a directory.`, { path, next: belowAFile(path, file) });
}

/** `directory`, on the way to `path`, is not there. */
export function noSuchDirectory(path: string, directory: string): Refusal {
  return new Refusal("not_found", `There is no directory ${shown(directory)}.`, {
    path,
    next: "Correct the path, or have the missing parent directories made.",
    details: { missing: directory },
  });
}

function belowAFile(path: string, file: string): string {
  if (path === file) return "Name a directory.";
  if (/[\\/]\.?$/.test(path)) return "Name the file without a slash at the end, or a directory.";
  return "Nothing can lie below a file: use a path that leads through directories.";
}

/** The path of a name in a directory. */
export function childOf(directory: string, name: string): Path {
  return (directory === "" ? name : `${directory}/${name}`) as Path;
}

/** "" for what lies in the root, and for the root. */
export function parentOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf("/")));
}

/** The name as a file system sees it that ignores case and the form of accents. */
export function folded(name: string): string {
  return name.normalize("NFC").toLowerCase();
}

/** Whether there is half of a surrogate pair, which no file system can store. */
export function hasLoneSurrogate(text: string): boolean {
  return SURROGATE.test(text) && LONE_SURROGATE.test(text);
}

/** Refuses names for new files that are mistakes or traps; existing files may have them. */
export function checkNewNames(
  raw: string,
  names: readonly string[],
  platform: NodeJS.Platform = process.platform,
): void {
  if (platform !== "win32" && FOREIGN.test(raw)) {
    throw invalid(raw, `${shown(raw)} is a Windows path or a URL, not a path of this workspace.`);
  }
  for (const name of names) {
    checkName(raw, name, platform);
    if (CONTROL.test(name)) throw invalid(raw, `The name ${shown(name)} contains a control character.`);
    if (name.trim() === "") throw invalid(raw, `The name ${shown(name)} is only white space.`);
  }
}

/** A canonical path cut into names that are safe to look up in turn, wherever the path came from. */
export function namesOf(path: string): string[] {
  if (path === "") return [];
  const names = path.split("/");
  for (const name of names) {
    if (name === "" || name === "." || name === ".." || name.includes("\0")) {
      throw invalid(path, `${shown(path)} is not a canonical path.`);
    }
  }
  return names;
}

/** Resolves `..` in the text alone, as if no name were a link. */
export function withoutDotDot(names: readonly string[]): string {
  const out: string[] = [];
  for (const name of names) {
    if (name === "..") out.pop();
    else out.push(name);
  }
  return out.join("/");
}

// Tested first: a Unicode property takes milliseconds to compile, and hardly any path has a surrogate.
const SURROGATE = /[\uD800-\uDFFF]/;
const LONE_SURROGATE = /\p{Surrogate}/u;
const CONTROL = /\p{Cc}/u;
const FOREIGN = /^(?:[A-Za-z]:[\\/]|\\\\|[A-Za-z][A-Za-z0-9+.-]+:\/\/)/;
const WINDOWS_DEVICE = /^(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[0-9¹²³])(?:\.|$)/i;
/** Windows gives such names to files with long ones; rules of a policy know the long ones only. */
const SHORT_NAME = /^[^.~]{1,6}~\d+(?:\.[^.]{1,3})?$/;

export function checkName(raw: string, name: string, platform: NodeJS.Platform = process.platform): void {
  if (name.length * 3 > LIMITS.nameBytes && Buffer.byteLength(name) > LIMITS.nameBytes) {
    throw invalid(raw, `The name ${shown(name)} is longer than ${LIMITS.nameBytes} bytes.`, "Use a shorter name.");
  }
  if (platform === "darwin" && name === "..namedfork") {
    throw invalid(raw, "'..namedfork' reaches the resource fork of a file, which is not a path.");
  }
  if (platform === "win32" && name !== "..") checkWindowsName(raw, name);
}

function checkWindowsName(raw: string, name: string): void {
  if (/^[A-Za-z]:$/.test(name) && raw.startsWith(name)) return;
  if (/[<>:"|?*]|\p{Cc}/u.test(name)) {
    throw invalid(raw, `The name ${shown(name)} has a character that Windows gives another meaning.`);
  }
  if (/[. ]$/.test(name)) throw invalid(raw, `The name ${shown(name)} ends in a dot or a space, which Windows drops.`);
  if (WINDOWS_DEVICE.test(name)) throw invalid(raw, `The name ${shown(name)} is a Windows device.`);
  if (SHORT_NAME.test(name)) throw invalid(raw, `The name ${shown(name)} may be a short name of another file.`);
}

/** Before anything touches the file system: looking up a network path already sends the user's credentials away. */
function refuseWindowsNamespaces(raw: string): void {
  if (/^[\\/]{2}/.test(raw)) {
    throw new Refusal("outside_workspace", `${shown(raw)} is a network or device path.`, { path: raw, next: INSIDE });
  }
  if (/^[A-Za-z]:(?![\\/])/.test(raw)) {
    throw invalid(raw, `${shown(raw)} depends on the current directory of a drive.`);
  }
}

const INSIDE = "Use a path inside the workspace, relative to its root.";

function invalid(path: string, why: string, next = INSIDE): Refusal {
  return new Refusal("invalid_path", why, { path, next });
}
