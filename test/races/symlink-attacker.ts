// Starts the attacker, a real second process that swaps two entries without pause, and counts what our calls do under it.
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { Refusal } from "stet";

/** Only a machine that stands still needs as long. */
const MAX_MS = process.env.STET_HEAVY === "1" ? 900_000 : 50_000;

export interface Tally {
  readonly attempts: number;
  readonly ok: number;
  readonly refused: Readonly<Record<string, number>>;
  readonly escapes: number;
  readonly swaps: number;
}

export interface Race {
  /** The two entries that are swapped. */
  readonly swap: readonly [string, string];
  readonly attempts: number;
  readonly attacker?: "c" | "node";
  /** Enough escapes to stop. */
  readonly until?: number;
  /** One call. Returns true when it got out. */
  attempt(count: number): boolean | Promise<boolean>;
}

/** Goes on until some calls have succeeded and the attacker, which a busy machine may hold up, has swapped meanwhile. */
export async function race(race: Race): Promise<Tally> {
  const attacker = await start(race.swap, race.attacker ?? (hasCompiler() ? "c" : "node"));
  let isAtWork = false;
  attacker.stdout?.on("data", () => {
    isAtWork = true;
  });
  const refused: Record<string, number> = {};
  let count = 0;
  let ok = 0;
  let escapes = 0;
  const until = race.until ?? Number.POSITIVE_INFINITY;
  const isEnough = (): boolean => escapes >= until || (count >= race.attempts && ok > 0 && isAtWork);
  const end = performance.now() + MAX_MS;
  while (!isEnough() && performance.now() < end) {
    count += 1;
    // what the attacker says is heard between turns of the event loop
    if (count % 20 === 0) await new Promise((resolve) => setImmediate(resolve));
    try {
      if (await race.attempt(count)) escapes += 1;
      else ok += 1;
    } catch (error) {
      if (!(error instanceof Refusal)) {
        await stop(attacker);
        throw error;
      }
      refused[error.kind] = (refused[error.kind] ?? 0) + 1;
    }
  }
  return { attempts: count, ok, refused, escapes, swaps: await stop(attacker) };
}

/** The attacker alone, until it is stopped. */
export async function attack(swap: readonly [string, string]): Promise<{ stop(): Promise<number> }> {
  const attacker = await start(swap, hasCompiler() ? "c" : "node");
  return { stop: () => stop(attacker) };
}

let built: string | undefined;
let compiles: boolean | undefined;

export function hasCompiler(): boolean {
  if (process.platform !== "linux") return false;
  built ??= join(mkdtempSync(join(tmpdir(), "stet-attacker-")), "attacker");
  compiles ??= spawnSync("cc", ["-O2", "-o", built, source("symlink-attacker.c")]).status === 0;
  return compiles;
}

export function removeAttacker(): void {
  if (built !== undefined) rmSync(dirname(built), { recursive: true, force: true });
  built = undefined;
  compiles = undefined;
}

async function start([first, second]: readonly [string, string], kind: "c" | "node"): Promise<ChildProcess> {
  const child =
    kind === "c"
      ? spawn(built!, [first, second], { stdio: ["ignore", "pipe", "inherit"] })
      : spawn(process.execPath, [source("symlink-attacker.mjs"), first, second], {
          stdio: ["ignore", "pipe", "inherit", "ipc"],
        });
  await said(child, /ready/);
  return child;
}

async function stop(child: ChildProcess): Promise<number> {
  const answer = said(child, /swaps (\d+)/);
  child.kill("SIGTERM");
  return Number((await answer)[1]);
}

function said(child: ChildProcess, what: RegExp): Promise<RegExpExecArray> {
  return new Promise((resolve, reject) => {
    let text = "";
    const listen = (chunk: Buffer) => {
      text += chunk;
      const match = what.exec(text);
      if (match === null) return;
      child.stdout?.off("data", listen);
      resolve(match);
    };
    child.stdout?.on("data", listen);
    child.once("close", (code) => reject(new Error(`the attacker ended with ${code}`)));
  });
}

function source(name: string): string {
  return fileURLToPath(new URL(name, import.meta.url));
}
