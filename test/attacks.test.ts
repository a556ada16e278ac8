// The shared catalogue of attacks, run through sessions: paths, links, special files, names, policy, sizes, history.
// Races, kills and full disks have their own tests.
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { listTrash, Refusal, restore, type Session } from "stet";
import { replaceText } from "stet/edit";
import { describe, expect, it } from "vitest";
import { type Playground, playground } from "./backends/disk-playground.ts";
import { all } from "./support/assertions.ts";
import { workspaceIn } from "./support/workspace.ts";

interface Attack {
  readonly id: string;
  readonly category: string;
  readonly platform: string;
  readonly title: string;
  readonly setup: readonly Record<string, unknown>[];
  readonly op: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly expected: string;
}

const CATALOGUE = new URL("../../shared/data/attacks.json", import.meta.url);

/** Not decided by a session; each has a reason, and a case that is neither here nor expected fails the last test. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  "ATK-056": "test/races/symlink-attacker.test.ts",
  "ATK-057": "test/races/symlink-attacker.test.ts",
  "ATK-058": "test/races/symlink-attacker.test.ts",
  "ATK-060": "test/races/symlink-attacker.test.ts",
  "ATK-062": "test/backends/disk-resolve-parent.test.ts: a directory moved out of the root while it is pinned",
  "ATK-070": "test/kernel/growing-file.test.ts",
  "ATK-075": "a file of 2 GiB is above the limit for pages; test/kernel/session-read.test.ts has the limits",
  "ATK-076": "test/backends/disk-resolve-list.test.ts: listing is lazy; the cap is the tool's",
  "ATK-078": "names are given as they are; tools print them escaped",
  "ATK-079": "names are given as they are; tools print them escaped",
  "ATK-099": "test/edit/patch tests and test/kernel/session-change.test.ts: too_many_files",
  "ATK-138": "test/races/lock.test.ts",
  "ATK-139": "test/races/lock.test.ts",
  "ATK-141": "test/faults/full-disk.test.ts",
  "ATK-142": "test/faults/commit-faults.test.ts",
  "ATK-144": "test/faults/commit-faults.test.ts and kill.test.ts",
  "ATK-146": "the default of the surface, where proofs are chosen; `strict` refuses it: test/kernel/gate.test.ts",
  "ATK-148": "test/backends/journal-verify.test.ts",
};
/** Searching and HTTP have their own tests of this catalogue: test/search/attacks.test.ts, test/serve/http-attacks.test.ts. */
const OTHERS = new Set(["grep", "glob", "http"]);

const EXPECTED: Readonly<Record<string, readonly string[]>> = {
  path_outside_workspace: ["outside_workspace"],
  error_not_directory_or_outside: ["not_a_directory", "outside_workspace"],
  not_directory: ["not_a_directory"],
  not_regular_file: ["not_a_file"],
  invalid_path: ["invalid_path"],
  invalid_path_or_not_found: ["invalid_path", "not_found"],
  not_found: ["not_found"],
  not_found_or_root_gone: ["not_found", "unsupported"],
  symlink_loop: ["symlink_loop"],
  permission_denied: ["permission_denied"],
  protected_path: ["permission_denied"],
  protected_path_or_approval: ["permission_denied"],
  denied_by_default_policy: ["permission_denied"],
  denied: ["permission_denied"],
  flagged: ["permission_denied"],
  file_too_large: ["file_too_large"],
  file_too_large_by_st_size: ["file_too_large"],
  "ok_canonical_key_is_a.txt": ["ok a.txt"],
  ok_link_removed_target_intact: ["ok l"],
  no_target_size_or_mtime: ["ok l:link:0"],
  terminates: ["ok d:directory:0,self:link:0"],
  outside_unchanged: ["ok h"],
  exact_bytes_only: ["ok e\u0301.txt"],
  listed_lossless_or_flagged: ["ok \\xff\\xfe:other:0"],
  mode_0755: ["ok s"],
  audit_has_one_valid_line: ['ok x","op":"approved', "ok x\u2028y"],
  O_EXCL_fails_or_other_name: ["ok a.txt"],
  deadline: ["ok refused quickly"],
  no_content: ["ok "],
};

/** Where our answer is another one, and why. */
const ARGUED: Readonly<Record<string, readonly string[]>> = {
  "ATK-018": ["permission_denied"], // nothing is expanded; but the literal name .netrc is one that the default policy denies
  "ATK-026": ["not_a_file"], // a session moves files; adapters that move directories say invalid_path: test/adapters/storage.test.ts
  "ATK-098": ["invalid_input"], // so many places are refused before their size is looked at
};

const attacks: readonly Attack[] = existsSync(CATALOGUE)
  ? (JSON.parse(readFileSync(CATALOGUE, "utf8")) as { cases: Attack[] }).cases.filter((one) => !OTHERS.has(one.op))
  : [];

describe("attacks.json", () => {
  it.skipIf(attacks.length > 0)("is not here: ../shared/data/attacks.json", (context) =>
    context.skip("catalogue absent"),
  );

  for (const attack of attacks.filter((one) => !(one.id in ELSEWHERE))) {
    it(`${attack.id} ${attack.title}`, { timeout: 60_000 }, async (context) => {
      if (!fits(attack.platform)) return context.skip(`for ${attack.platform}`);
      const play = playground();
      const mounts: string[] = [];
      const workspace = workspaceIn(play.ws);
      try {
        const problem = attack.setup.map((step) => prepare(play, step, mounts)).find((text) => text !== undefined);
        if (problem !== undefined) return context.skip(problem);
        const outsideBefore = snapshot(play.out);
        const came = await outcome(play, workspace.session(), attack);
        expect(ARGUED[attack.id] ?? EXPECTED[attack.expected], attack.expected).toContain(came);
        expect(snapshot(play.out)).toEqual(outsideBefore);
        // A root that is gone has no journal to ask for.
        if (came === "unsupported") return;
        expect((await workspace.verify()).problems).toEqual([]);
      } finally {
        await workspace.close();
        for (const mount of mounts) spawnSync("umount", ["-l", mount]);
        for (const suffix of ["-evil", "'", " "]) rmSync(`${play.ws}${suffix}`, { recursive: true, force: true });
        play.remove();
      }
    });
  }

  it.skipIf(attacks.length === 0)("has no case of these kinds that nobody runs", () => {
    const unknown = attacks.filter(
      (one) => fits(one.platform) && !(one.id in ELSEWHERE) && EXPECTED[one.expected] === undefined,
    );
    expect(unknown.map((one) => one.id)).toEqual([]);
  });
});

function fits(platform: string): boolean {
  if (platform === "posix") return process.platform !== "win32";
  return platform === "all" || platform === process.platform;
}

/** A sentence when this machine cannot set it up. */
function prepare(play: Playground, step: Record<string, unknown>, mounts: string[]): string | undefined {
  const [[kind, value]] = Object.entries(step) as [[string, string & [string, string, ...number[]]]];
  const real = (text: string) => text.replaceAll("$WS", play.ws).replaceAll("$OUT", play.out);
  if (kind === "file") play.file(value[0], value[1]);
  else if (kind === "mkdir") play.dir(value);
  else if (kind === "symlink") play.link(value[0], value[1]);
  else if (kind === "hardlink") play.hardLink(value[0], value[1]);
  else if (kind === "fifo") play.fifo(value);
  else if (kind === "sparse") play.sparse(value[0], Number(value[1]));
  else if (kind === "chmod") play.mode(value[0], Number.parseInt(value[1], 8));
  else if (kind === "file_bytes") {
    writeFileSync(Buffer.concat([Buffer.from(real(value[0])), Buffer.from(value[1].replaceAll(" ", ""), "hex")]), "x");
  } else if (kind === "mknod") {
    if (spawnSync("mknod", [real(value[0]), ...(value as readonly unknown[]).slice(1).map(String)]).status !== 0)
      return "mknod is not allowed here";
  } else if (kind === "bind") {
    play.dir(value[1]);
    if (spawnSync("mount", ["--bind", value[0], real(value[1])]).status !== 0)
      return "bind mounts are not allowed here";
    mounts.push(real(value[1]));
  } else if (kind === "repeat_lines") {
    writeFileSync(real(value[0]), `${value[1]}\n`.repeat(Number(value[2])));
  } else if (kind === "after_start") {
    renameSync(play.ws, join(play.base, "moved"));
    play.link("$OUT", "$WS");
  } else return `no way to set up ${kind}`;
  return undefined;
}

const WAIVED = { proof: { by: "waived" } } as const;

/** The kind of the refusal, or "ok" with what was reached. */
async function outcome(play: Playground, session: Session, attack: Attack): Promise<string> {
  const real = (text: unknown): string =>
    String(text)
      .replaceAll("$WS", play.ws)
      .replaceAll("$OUT", play.out)
      .replace(/^\.filekit\b/, ".stet");
  const { path, content, from, to } = attack.args;
  const run: Record<string, () => Promise<string>> = {
    read: async () => {
      const { path: found, body } = await session.read(real(path));
      expect(body).not.toContain("SECRET");
      return found;
    },
    write: () => write(play, session, real(path), String(content)),
    delete: async () => (await session.delete(real(path), WAIVED)).files[0]!.path,
    move: async () => (await session.move(real(from), real(to), WAIVED)).files[1]!.path,
    list: () => list(session, real(path), attack.args.recursive === true),
    apply_patch: () => write(play, session, (attack.args.files as string[])[0]!, "x"),
    restore: () => restoreInto(play, session, String(attack.args.originalPath)),
    list_trash: async () => {
      await expect(session.delete(".env", WAIVED)).rejects.toThrow();
      return (await all(listTrash(session.workspace))).map(({ path: trashed }) => trashed).join();
    },
    edit: () => edit(session, attack),
  };
  const step = run[attack.op];
  if (step === undefined) throw new Error(`nobody knows how to ${attack.op}`);
  try {
    return `ok ${await step()}`;
  } catch (error) {
    if (error instanceof Refusal) return error.kind;
    throw error;
  }
}

async function write(play: Playground, session: Session, raw: string, content: string): Promise<string> {
  const { kind } = await session.resolve(raw, "write");
  const changed =
    kind === "absent"
      ? await session.create(raw, content, { createParents: true })
      : await session.write(raw, content, WAIVED);
  const { path, after } = changed.files[0]!;
  if (path === "s") expect(statSync(join(play.ws, path)).mode & 0o7777).toBe(0o755);
  expect((await session.workspace.backend.head(path))?.sha).toBe(after);
  return path;
}

async function list(session: Session, raw: string, recursive: boolean): Promise<string> {
  const { path } = await session.resolve(raw, "list");
  const found: string[] = [];
  for await (const entry of session.workspace.backend.list(path)) {
    if (entry.name === ".stet") continue;
    found.push(`${entry.name}:${entry.kind}:${entry.size}`);
    if (recursive && entry.kind === "directory") found.push(await list(session, entry.path, true));
  }
  return found.join();
}

/** The catalogue's link is planted where the file's parent was. */
async function restoreInto(play: Playground, session: Session, original: string): Promise<string> {
  const planted = join(play.ws, original.split("/")[0]!);
  rmSync(planted);
  await session.create(original, "x\n", { createParents: true });
  await session.delete(original);
  rmSync(planted, { recursive: true });
  play.link("$OUT", original.split("/")[0]!);
  return (await restore(session, original)).files[0]!.path;
}

async function edit(session: Session, { args }: Attack): Promise<string> {
  const oldText =
    typeof args.old === "string"
      ? args.old
      : Array.from({ length: Number(args.oldLines) }, (_, i) => `y${i}`).join("\n");
  const newText = typeof args.new === "string" ? args.new : "z";
  await session.read(String(args.path));
  let refused = "";
  await session.edit(String(args.path), ({ body }) => {
    const result = replaceText(body, oldText, newText, { replaceAll: args.new !== undefined });
    if (result.ok) return result.splices;
    if (result.kind !== "old_text_not_found") throw new Refusal(result.kind, result.message);
    refused = "refused quickly";
    return [];
  });
  return refused;
}

function snapshot(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .map(
      (entry) =>
        `${join(entry.parentPath, entry.name)}:${entry.isFile() ? readFileSync(join(entry.parentPath, entry.name), "utf8") : ""}`,
    )
    .sort();
}
