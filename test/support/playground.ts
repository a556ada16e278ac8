// A workspace directory and a directory outside of it, to put files, links and pipes into.
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type FailureKind, Refusal } from "stet";

export interface Playground {
  /** Holds `ws` and `outside`. */
  readonly base: string;
  readonly ws: string;
  readonly out: string;
  file(path: string, content?: string): void;
  dir(path: string): void;
  link(target: string, path: string): void;
  hardLink(existing: string, path: string): void;
  sparse(path: string, bytes: number): void;
  fifo(path: string): void;
  mode(path: string, mode: number): void;
  remove(): void;
}

/** Paths are relative to the workspace unless absolute; `$WS` and `$OUT` are replaced. */
export function playground(): Playground {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "stet-disk-")));
  const ws = join(base, "ws");
  const out = join(base, "outside");
  mkdirSync(ws);
  mkdirSync(out);
  const full = (path: string) => {
    const named = path.replaceAll("$WS", ws).replaceAll("$OUT", out);
    const absolute = named.startsWith("/") ? named : join(ws, named);
    mkdirSync(dirname(absolute), { recursive: true });
    return absolute;
  };
  return {
    base,
    ws,
    out,
    file: (path, content = "inside") => writeFileSync(full(path), content),
    dir: (path) => mkdirSync(full(path), { recursive: true }),
    link: (target, path) => symlinkSync(target.replaceAll("$WS", ws).replaceAll("$OUT", out), full(path)),
    hardLink: (existing, path) => linkSync(full(existing), full(path)),
    sparse(path, bytes) {
      writeFileSync(full(path), "");
      truncateSync(full(path), bytes);
    },
    fifo: (path) => void execFileSync("mkfifo", [full(path)]),
    mode: (path, mode) => chmodSync(full(path), mode),
    remove: () => rmSync(base, { recursive: true, force: true }),
  };
}

/** The kind of the refusal, or "ok" when there was none. */
export async function kindOf(work: () => unknown): Promise<FailureKind | "ok"> {
  try {
    await work();
    return "ok";
  } catch (error) {
    if (error instanceof Refusal) return error.kind;
    throw error;
  }
}
