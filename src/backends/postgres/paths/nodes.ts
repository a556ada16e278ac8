// What is at a path: one row for each, also for paths that are gone.
import type { Kind, Listed, Path } from "../../../core/backend.ts";
import { Refusal } from "../../../core/failure.ts";
import { parentOf } from "../../../core/paths.ts";
import { shown } from "../../../core/printable.ts";
import { notADirectory } from "../../paths.ts";
import type { Query } from "../connection/client.ts";
import type { Database } from "../connection/database.ts";
import { together } from "../connection/together.ts";

/** File, directory, symbolic link, gone. */
export type NodeKind = "f" | "d" | "l" | "g";

export interface Node {
  readonly path: string;
  readonly kind: NodeKind;
  readonly sha: Buffer | null;
  readonly size: number;
  readonly mode: number | null;
  readonly mtime: number;
  /** Where a link leads, as it was written. */
  readonly target: Buffer | null;
  /** The entry that last spoke of this path; null: none did. */
  readonly seq: number | null;
}

export const KINDS: Readonly<Record<NodeKind, Kind>> = { f: "file", d: "directory", l: "link", g: "absent" };

/** Nearest first, without the root. */
export function ancestorsOf(path: string): string[] {
  const all: string[] = [];
  for (let at = parentOf(path); at !== ""; at = parentOf(at)) all.push(at);
  return all;
}

export async function nodesAt(database: Database, paths: readonly string[]): Promise<Map<string, Node>> {
  const asked = paths.filter((path) => path !== "");
  if (asked.length === 0) return new Map();
  const all = await nodesOf(database, asked);
  return new Map(asked.flatMap((path) => (all.has(path) ? [[path, all.get(path)!]] : [])));
}

const nodesOf = together(async ({ ws, quick }, lists: readonly (readonly string[])[]) => {
  const rows = await quick<Node>(nodesQuery(ws, [...new Set(lists.flat())]));
  const all = new Map(rows.map((row) => [row.path, row]));
  return lists.map(() => all);
});

function nodesQuery(ws: number, paths: readonly string[]): Query {
  const text = "select path, kind, sha, size, mode, mtime, target, seq from node where ws = $1 and path = any($2)";
  return { name: "stet-nodes", text, values: [ws, paths] };
}

const PAGE = 5_000;

export async function* listed(database: Database, dir: Path): AsyncGenerator<Listed> {
  const { ws, ask } = database;
  if (dir !== "") {
    const kind = (await nodesAt(database, [dir])).get(dir)?.kind ?? "g";
    if (kind === "g") throw new Refusal("not_found", `There is no directory ${shown(dir)}.`, { path: dir });
    if (kind !== "d") throw notADirectory(dir, dir);
  }
  for (let after = ""; ; ) {
    const rows = await ask<Node>({
      name: "stet-list",
      text: `select path, kind, size, mtime from node
        where ws = $1 and parent = $2 and path > $3 and kind <> 'g' order by path limit ${PAGE}`,
      values: [ws, dir, after],
    });
    for (const { path, kind, size, mtime } of rows) {
      const name = path.slice(dir === "" ? 0 : dir.length + 1);
      yield { name, path: path as Path, kind: KINDS[kind], size: kind === "f" ? size : 0, mtimeMs: mtime };
    }
    if (rows.length < PAGE) return;
    after = rows.at(-1)!.path;
  }
}
