// Turns a raw path into a canonical one: all names of it are asked for at once, and again behind every link.
import { isUtf8 } from "node:buffer";
import type { Kind, Path, Resolved, ResolveOptions } from "../../../core/backend.ts";
import { Refusal } from "../../../core/failure.ts";
import { LIMITS } from "../../../core/limits.ts";
import { type Steps, withoutDotDot } from "../../../core/paths.ts";
import { shown } from "../../../core/printable.ts";
import {
  backOutOfNothing,
  checkNewNames,
  noSuchDirectory,
  notADirectory,
  outside,
  parsePath,
  parseTarget,
} from "../../paths.ts";
import type { Database } from "../connection/database.ts";
import { seenKey } from "../state/ledger.ts";
import { finding, type Look, look } from "./look.ts";
import { KINDS, type Node } from "./nodes.ts";

export async function resolveIn(database: Database, raw: string, options: ResolveOptions = {}): Promise<Resolved> {
  const { link: stopAtLink = false, existed = false, session } = options;
  const keep = finding(database);
  const names: string[] = [];
  const via: string[] = [];
  let todo: string[] = [];
  let directory = false;
  let link: string | undefined;
  let asked: readonly string[] = [];
  let { nodes, seen }: Look = { nodes: new Map(), seen: new Map() };

  /** An absolute path starts at the root of the tree: there is nothing else it could name. */
  async function prepend(steps: Steps): Promise<void> {
    if (todo.length === 0) directory ||= steps.directory;
    if (steps.absolute) names.length = 0;
    todo = [...steps.names, ...todo];
    asked = onTheWay(names, todo).filter((path) => path !== "");
    const last = asked.at(-1) as Path | undefined;
    const key = session === undefined || last === undefined ? undefined : seenKey(session, last);
    ({ nodes, seen } = await look(database, { paths: asked, key }));
  }

  async function follow(name: string, target: Buffer | null): Promise<void> {
    link = [...names, name].join("/");
    via.push(withoutDotDot([...names, name, ...todo]));
    if (via.length > LIMITS.maxLinks) {
      throw new Refusal("symlink_loop", `${shown(raw)} leads through more than ${LIMITS.maxLinks} links.`, {
        path: raw,
        next: "Use the path of the file itself.",
      });
    }
    const steps = parseTarget(textOf(target, link, raw), raw);
    if (steps.absolute) throw outside(raw, because(link));
    await prepend(steps);
  }

  function found(kind: Kind, node?: Node): Resolved {
    const at = {
      path: names.join("/") as Path,
      kind,
      size: kind === "file" ? (node?.size ?? 0) : 0,
      mtimeMs: node?.mtime ?? 0,
      hardLinks: 0,
      throughLink: via.length > 0,
      via,
    };
    if (asked.includes(at.path)) keep(at, { node: nodes.get(at.path), seen });
    return at;
  }

  function absent(name: string): Resolved {
    const tail = [name, ...todo];
    if (tail.includes("..")) throw backOutOfNothing(raw, names, tail);
    if (!existed || via.length > 0) checkNewNames(raw, tail);
    if (directory) throw noSuchDirectory(raw, [...names, ...tail].join("/"));
    names.push(...tail);
    return found("absent");
  }

  await prepend(parsePath(raw, options));
  let last: Node | undefined;
  for (let name = todo.shift(); name !== undefined; name = todo.shift()) {
    if (name === "..") {
      if (names.pop() === undefined) throw outside(raw, link === undefined ? undefined : because(link));
      continue;
    }
    const node = nodes.get([...names, name].join("/"));
    if (node === undefined || node.kind === "g") return absent(name);
    const isLast = todo.length === 0 && !directory;
    if (node.kind === "l" && !(isLast && stopAtLink)) await follow(name, node.target);
    else if (node.kind !== "d" && !isLast) throw notADirectory(raw, node.path);
    else {
      names.push(name);
      last = node;
    }
  }
  const end = names.length === 0 ? undefined : last?.path === names.join("/") ? last : nodes.get(names.join("/"));
  return found(end === undefined ? "directory" : KINDS[end.kind], end);
}

/** Every path that may be asked for on the way, links aside. */
function onTheWay(names: readonly string[], todo: readonly string[]): string[] {
  const at = [...names];
  return todo.map((name) => {
    if (name === "..") at.pop();
    else at.push(name);
    return at.join("/");
  });
}

function because(link: string): string {
  return `leads outside the workspace, because ${shown(link)} is a symbolic link`;
}

function textOf(target: Buffer | null, link: string, raw: string): string {
  if (target !== null && isUtf8(target)) return target.toString();
  throw new Refusal("invalid_path", `The link ${shown(link)} leads to a name that is not valid UTF-8.`, {
    path: raw,
    next: "Use another path.",
  });
}
