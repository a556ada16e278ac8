// The shared catalogue of attacks: its cases for grep and glob, with ripgrep and without.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { type Path, Refusal } from "stet";
import { describe, expect, it } from "vitest";
import { directoryWith } from "../support/workspace.ts";
import { diskSession, type Place, placeOf } from "./places.ts";

interface Attack {
  readonly id: string;
  readonly title: string;
  readonly setup: readonly Readonly<Record<string, string | readonly [string, string]>>[];
  readonly op: "grep" | "glob";
  readonly args: { readonly pattern: string; readonly path?: string };
  readonly expected: string;
}

const CATALOGUE = new URL("../../../shared/data/attacks.json", import.meta.url);

/** "N" found, or the kind of the refusal. */
const EXPECTED: Readonly<Record<string, readonly string[]>> = {
  no_outside_results: ["0"],
  skipped_and_terminates: ["0"],
  no_option_injection: ["0", "1"],
  pattern_too_complex: ["pattern_too_complex"],
  deadline: ["0", "timeout", "pattern_too_complex"],
  deadline_or_linear: ["0", "timeout", "pattern_too_complex"],
  no_result_from_denied_file: ["0"],
};

const attacks: readonly Attack[] = existsSync(CATALOGUE)
  ? (JSON.parse(readFileSync(CATALOGUE, "utf8")) as { cases: Attack[] }).cases.filter(
      ({ op }) => op === "grep" || op === "glob",
    )
  : [];

describe.each(["ripgrep", "javascript"] as const)("attacks.json, %s", (engine) => {
  it.skipIf(attacks.length > 0)("is not here: ../shared/data/attacks.json", (context) =>
    context.skip("catalogue absent"),
  );

  it.each(attacks)("$id $title", async (attack) => {
    const base = directoryWith({ "ws/.keep": "", "outside/.keep": "" });
    const ws = join(base, "ws");
    const named = (path: string) => path.replaceAll("$WS", ws).replaceAll("$OUT", join(base, "outside"));
    for (const step of attack.setup) {
      for (const [kind, value] of Object.entries(step)) {
        const at = resolve(ws, named(kind === "fifo" ? (value as string) : value[kind === "file" ? 0 : 1]!));
        mkdirSync(dirname(at), { recursive: true });
        if (kind === "file") writeFileSync(at, value[1]!);
        else if (kind === "symlink") symlinkSync(named(value[0]!), at);
        else if (kind === "fifo") execFileSync("mkfifo", [at]);
        else throw new Error(`no way to set up ${kind}`);
      }
    }
    expect(EXPECTED[attack.expected]).toContain(await outcome(placeOf(diskSession(ws), engine), attack));
  });
});

async function outcome(place: Place, { op, args }: Attack): Promise<string> {
  const options = { deadlineMs: 500 };
  const root = (args.path ?? "") as Path;
  try {
    const asked = { hidden: true, gitignore: false, root, pattern: args.pattern };
    const found = op === "glob" ? await place.find(asked, options) : await place.grep(asked, options);
    return String(found.total);
  } catch (error) {
    if (error instanceof Refusal) return error.kind;
    throw error;
  }
}
