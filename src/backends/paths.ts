// The paths of a backend: which strings can be one, which names may be created, and the refusals that every backend gives.
import type { Path, Resolved, ResolveOptions } from "../core/backend.ts";
import { Refusal } from "../core/failure.ts";
import { LIMITS } from "../core/limits.ts";
import { type Steps, splitPath } from "../core/paths.ts";
import { shown } from "../core/printable.ts";
import { refuse } from "../words/index.ts";

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

/** What is at a path. */
export type Found = Pick<Resolved, "kind" | "size" | "mtimeMs">;

/**
 * `at` tells what is at a path; it is asked for those on the way, from the root ("") down. An absolute path starts at the
 * root of the tree: there is nothing outside.
 */
export function resolvePath(raw: string, options: ResolveOptions = {}, at: (path: Path) => Found): Resolved {
  const steps = parsePath(raw, options);
  const names: string[] = [];
  for (const name of steps.names) {
    if (name !== "..") {
      const parent = names.join("/") as Path;
      if (at(parent).kind === "file") throw notADirectory(raw, parent);
      names.push(name);
    } else if (names.pop() === undefined) throw outside(raw);
  }
  const path = names.join("/") as Path;
  const found = at(path);
  if (found.kind === "file" && steps.directory) throw notADirectory(raw, path);
  if (found.kind === "absent" && !options.existed) checkNewNames(raw, names);
  if (found.kind === "absent" && steps.directory) throw noSuchDirectory(raw, path);
  return { path, ...found, hardLinks: 0, throughLink: false, via: [] };
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

export function outside(raw: string, why = OUTSIDE): Refusal {
  const relative = why === OUTSIDE && raw.startsWith("/") ? ': without the leading "/" it is relative to the root' : "";
  return new Refusal("outside_workspace", `${shown(raw)} ${why}.`, {
    path: raw,
    next: `Use a path inside the workspace${relative}.`,
  });
}

const OUTSIDE = "leads outside the workspace";

export function changed(path: string): Refusal {
  return new Refusal("path_changed", `Something on the way to ${shown(path)} was replaced while it was being opened.`, {
    path,
    next: "Resolve the path again and retry.",
  });
}

/** There is a directory where a file was asked for. */
export function notAFile(path: string): Refusal {
  return new Refusal("not_a_file", `${shown(path)} is a directory, not a file.`, {
    path,
    next: "List it, or name a file inside it.",
  });
}

export function refuseLarger(path: string, size: number, maxBytes = size): void {
  if (size > maxBytes) throw refuse("too_large", { path, size, maxBytes });
}

/** Of `missing/../x`, as the operating system has it; what climbs out of the workspace is told that first. */
export function backOutOfNothing(raw: string, names: readonly string[], tail: readonly string[]): Refusal {
  let depth = names.length;
  for (const name of tail) {
    depth += name === ".." ? -1 : 1;
    if (depth < 0) return outside(raw);
  }
  return noSuchDirectory(raw, [...names, tail[0]!].join("/"));
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

/** Whether there is half of a surrogate pair, which no file system can store. */
export function hasLoneSurrogate(text: string): boolean {
  return SURROGATE.test(text) && LONE_SURROGATE.test(text);
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
