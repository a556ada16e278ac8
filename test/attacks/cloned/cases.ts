// What a repository can bring along. Each plants something in it before it is cloned, or, what git cannot carry, in the clone.
import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { sparse } from "../../support/sparse.ts";
import { applied, created, deleted, type Forged, journalOf, plantState, sha } from "./forge.ts";
import type { World } from "./world.ts";

type Plant = (world: World) => void;

export interface Case {
  readonly name: string;
  /** Of another one: an ordinary run uses a third of all commands on it, each time others than on the one before. */
  readonly variation?: true;
  readonly inRepository?: Plant;
  readonly inClone?: Plant;
}

const HOOK = "#!/bin/sh\ntouch owned-by-hook\n";

function pendingEntry(change: Forged, name: string, text: string): Plant {
  return ({ origin }) => plantState(origin, { journal: journalOf([applied([change])]), pending: { [name]: text } });
}

function linked(part: string, target: (world: World) => string): Plant {
  return (world) => {
    plantState(world.origin, { journal: journalOf([applied([created("src/x.txt", "x")])]) });
    const place = join(world.origin, ".stet", part);
    rmSync(place, { force: true, recursive: true });
    symlinkSync(target(world), place);
  };
}

/** The first entry is as it should be, the second is not, the third is again. */
function mistyped(entry: Parameters<typeof journalOf>[0][number]): Plant {
  const fine = applied([created("README.md", "hello\n")], { diff: "+++ README.md\n+forged line\n" });
  return ({ origin }) => plantState(origin, { journal: journalOf([fine, entry, fine]) });
}

const ESCAPES = "\u001b]0;owned\u0007\u001b[2J\u202e\u2066\u009b31m";

export const CASES: readonly Case[] = [
  {
    name: "an applied entry for a git hook, its bytes staged",
    inRepository: pendingEntry(created(".git/hooks/pre-commit", HOOK), "1-0-new", HOOK),
  },
  { name: "… for .env", variation: true, inRepository: pendingEntry(created("sub/.env", "A=1\n"), "1-0-new", "A=1\n") },
  { name: "… for .mcp.json", variation: true, inRepository: pendingEntry(created(".mcp.json", "{}"), "1-0-new", "{}") },
  {
    name: "… for stet.config.json",
    variation: true,
    inRepository: pendingEntry(created("stet.config.json", "{}"), "1-0-new", "{}"),
  },
  {
    name: "… for a path outside",
    variation: true,
    inRepository: pendingEntry(created("../../owned", "x"), "1-0-new", "x"),
  },
  {
    name: "… for an absolute path",
    variation: true,
    inRepository: pendingEntry(created("/tmp/stet-owned", "x"), "1-0-new", "x"),
  },
  {
    name: "… that makes a link",
    variation: true,
    inRepository: pendingEntry(created("way", "/etc/passwd", 0o120000), "1-0-new", "/etc/passwd"),
  },
  {
    name: "… that deletes a user's file",
    variation: true,
    inRepository: pendingEntry(deleted("src/main.txt", sha("main\n")), "1-0-delete", ""),
  },
  {
    name: "links in the place of snapshots that are being written",
    inRepository: ({ origin, home }) => {
      const entries = Array.from({ length: 600 }, (_, n) => applied([created(`${n}.txt`, `${n}`)]));
      plantState(origin, { journal: journalOf(entries) });
      for (let seq = 501; seq < 700; seq++) {
        symlinkSync(join(home, ".bashrc"), join(origin, `.stet/journal/${String(seq).padStart(16, "0")}.heads.tmp`));
      }
    },
  },
  {
    name: "a deletion of a version whose name is a path",
    inRepository: ({ origin }) =>
      plantState(origin, {
        journal: journalOf(
          ["../../../victim.txt", "../../../../victim.txt"].map((from) => applied([deleted("gone.txt", from)])),
        ),
      }),
  },
  { name: "its format as a link to a secret", inRepository: linked("format", ({ home }) => join(home, "tokens")) },
  {
    name: "its format as a link to an endless file",
    variation: true,
    inRepository: linked("format", () => "/dev/zero"),
  },
  {
    name: "the kind of its lock as a link",
    variation: true,
    inRepository: linked("lock/lock-kind", ({ home }) => join(home, "tokens")),
  },
  {
    name: "the kind of its lock as an endless file",
    variation: true,
    inRepository: linked("lock/lock-kind", () => "/dev/zero"),
  },
  { name: "its journal as a link", variation: true, inRepository: linked("journal", ({ home }) => home) },
  { name: "its objects as a link", variation: true, inRepository: linked("objects", ({ home }) => home) },
  {
    name: "a segment as a link",
    variation: true,
    inRepository: linked("journal/0000000000000001.jsonl", ({ home }) => join(home, "tokens")),
  },
  { name: "changes that are nothing", inRepository: mistyped(applied([null])) },
  { name: "changes of numbers", variation: true, inRepository: mistyped(applied([{ path: 5, from: 7, to: {} }])) },
  {
    name: "entries it undoes that are a number",
    variation: true,
    inRepository: mistyped(applied([created("a", "b")], { of: 5 })),
  },
  {
    name: "details of a hundred thousand levels",
    variation: true,
    inRepository: mistyped({
      raw: (place) =>
        `${place},"outcome":"applied","session":"s","tool":"t","changes":[],"details":${'{"a":'.repeat(100_000)}1${"}".repeat(100_000)}`,
    }),
  },
  {
    name: "a time, an agent and a path that a terminal would obey",
    variation: true,
    inRepository: mistyped(
      applied([created(`${ESCAPES}.txt`, "x")], {
        at: `2026${ESCAPES}`,
        agent: ESCAPES,
        tool: ESCAPES,
        session: ESCAPES,
      }),
    ),
  },
  {
    name: "a well-formed history of things that never happened",
    inRepository: ({ origin }) =>
      plantState(origin, {
        journal: journalOf([
          applied([created("README.md", "hello\n", 0o644)], { diff: "--- README.md\n+++ README.md\n+forged line\n" }),
          applied([deleted("gone.txt", sha("evil\n"))]),
          applied([{ ...created(".git/hooks/pre-commit", HOOK), from: sha("old") }]),
        ]),
        objects: { [sha("evil\n")]: "evil\n", [sha(HOOK)]: HOOK, [sha("wrong")]: "not wrong" },
      }),
  },
  {
    name: "a lock whose owner is a path",
    inRepository: ({ origin }) => {
      const owner = {
        pid: 999_999,
        thread: 999_999,
        start: "1",
        boot: "x",
        pidNamespace: "x",
        nonce: "../../../../made",
      };
      plantState(origin, {
        journal: journalOf([applied([created("x.txt", "x")])]),
        lock: { "lock-kind": "link\n", held: JSON.stringify(owner), "owner-..x": "x" },
      });
    },
  },
  {
    name: "a pipe among what is unfinished",
    variation: true,
    inRepository: pendingEntry(created("new.txt", "new\n"), "1-1-new", "x"),
    inClone: ({ clone }) => execFileSync("mkfifo", [join(clone, ".stet/pending/1-0-new")]),
  },
  {
    name: "a segment of 20 GB of nothing",
    inRepository: ({ origin }) => plantState(origin, { journal: journalOf([applied([created("x.txt", "x")])]) }),
    inClone: ({ clone }) => sparse(join(clone, ".stet/journal/0000000000000001.jsonl")),
  },
  {
    name: "ignore files that never end, or lead outside",
    inRepository: ({ origin, home }) => {
      mkdirSync(join(origin, "deep/er"), { recursive: true });
      writeFileSync(join(origin, "deep/er/x.txt"), "x\n");
      for (const name of [".gitignore", ".ignore", ".rgignore"]) {
        symlinkSync("/dev/zero", join(origin, "deep", name));
        symlinkSync(join(home, "tokens"), join(origin, "deep/er", name));
      }
    },
  },
  {
    name: "ignore files in the root that never end",
    variation: true,
    inRepository: ({ origin }) => {
      for (const name of [".gitignore", ".ignore", ".rgignore"]) symlinkSync("/dev/zero", join(origin, name));
    },
  },
  {
    name: "a configuration that names tokens of the user",
    variation: true,
    inRepository: ({ origin, home }) =>
      writeFileSync(join(origin, "stet.config.json"), JSON.stringify({ http: { tokenFile: join(home, "tokens") } })),
  },
  {
    name: "a configuration of 400,000 rules",
    inRepository: ({ origin }) =>
      writeFileSync(
        join(origin, "stet.config.json"),
        JSON.stringify({ policy: { deniedPaths: Array.from({ length: 400_000 }, (_, n) => `secret-${n}/**`) } }),
      ),
  },
  {
    name: "a configuration that never ends",
    variation: true,
    inRepository: ({ origin }) => symlinkSync("/dev/zero", join(origin, "stet.config.json")),
  },
];
