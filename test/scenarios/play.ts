// Plays the stories of this folder on one way to use stet: the main proof of the five documents.
import { execFile } from "node:child_process";
import { createHash, randomUUID } from "node:crypto";
import { join } from "node:path";
import { promisify } from "node:util";
import { memory } from "stet/backends/memory";
import { openPool, type Pool, postgres } from "stet/backends/postgres";
import { afterAll, describe, expect, it } from "vitest";
import { startPostgres } from "../../scripts/postgres.mjs";
import { type Call, isExecutable, type Step, type Story, stories, type WAYS } from "./story.ts";
import {
  type Answer,
  asLibrary,
  bytesIn,
  inBackend,
  inDirectory,
  overHttp,
  overStdio,
  type Place,
  type Way,
} from "./ways.ts";

const all = stories();
const IS_HEAVY = process.env.STET_HEAVY === "1";
/** The ways besides memory, one for each story by turns; a process for each agent takes longest and comes up least. */
const TURNS: readonly (typeof WAYS)[number][] = [
  ...(["disk", "http", "disk", "postgres", "disk", "http", "disk", "postgres", "disk", "http", "stdio"] as const),
];
let pool: Promise<Pool> | undefined;

const OPEN: Record<
  (typeof WAYS)[number],
  readonly [place: () => Place, open: (place: Place, story: Story) => Promise<Way>]
> = {
  memory: [() => inBackend(inMemory(randomUUID())), asLibrary],
  disk: [inDirectory, asLibrary],
  stdio: [inDirectory, overStdio],
  http: [inDirectory, overHttp],
  postgres: [() => inBackend(inDatabase(randomUUID())), asLibrary],
};

function inMemory(name: string) {
  return async () => memory({ name });
}

function inDatabase(workspace: string) {
  return async () => postgres({ database: await pool!, workspace });
}

/** Each way has a file of its own, so that they are played side by side. */
export function playStories(way: (typeof WAYS)[number]): void {
  const [place, open] = OPEN[way];
  const own = all.filter(([, story], at) => isFor(story, way) && (IS_HEAVY || isTurn(story, way, at)));
  describe(way, () => {
    if (way === "postgres") usesDatabase();
    it.each(own)("%s", (_name, story) => play(story, place(), open));
  });
}

function usesDatabase(): void {
  const server = startPostgres({ settings: { fsync: "off" } });
  pool = server.then(({ url }) => openPool(url));
  afterAll(async () => {
    await (await pool)?.end();
    await (await server).remove();
  });
}

/** Each story is played in memory and on one other way, by turns; heavy runs play all on all. */
function isTurn(story: Story, way: (typeof WAYS)[number], at: number): boolean {
  const turns = TURNS.filter((each) => isFor(story, each));
  return way === "memory" || turns[at % turns.length] === way;
}

/** A program needs a directory, and a server has one surface for all. */
function isFor(story: Story, way: (typeof WAYS)[number]): boolean {
  const needsDirectory = story.steps.some((step) => "stet" in step) || JSON.stringify(story.files).includes('{"link":');
  if (story.steps.some((step) => "tools" in step) && way !== "stdio" && way !== "http") return false;
  if (needsDirectory && (way === "memory" || way === "postgres")) return false;
  if (Object.keys(story.env).length > 0 && way !== "stdio") return false;
  if (Object.keys(story.agents).length > 0 && way === "http") return false;
  return story.on.includes(way);
}

async function play(story: Story, place: Place, open: (place: Place, story: Story) => Promise<Way>): Promise<void> {
  await place.lay(story.files);
  const saved = new Map([["root", place.root ?? ""]]);
  let way = await open(place, story);
  try {
    for (const [n, step] of story.steps.entries()) {
      const which = `step ${n + 1}`;
      if ("call" in step) await made(way, await named(step, place, saved), which, saved);
      else if ("together" in step)
        await Promise.all(step.together.map(async (one) => made(way, await named(one, place, saved), which, saved)));
      else if ("tools" in step) contains((await way.tools?.(step.tools)) ?? "", step, which);
      else if ("token" in step) contains(await admitted(way, step, which), step, which);
      else if ("outside" in step) await place.lay(step.outside);
      else if ("stet" in step) await commanded(await named(step, place, saved), place.root!, which);
      else {
        await way.close(step.restart);
        way = await open(place, story);
      }
    }
  } finally {
    await way.close();
  }
  const after = Object.entries(story.after ?? story.files).map(([path, content]) => [
    path,
    bytesIn(content).toString("latin1"),
  ]);
  const files = Object.entries(await place.files()).map(([path, bytes]) => [path, bytes.toString("latin1")]);
  expect(Object.fromEntries(files)).toEqual(Object.fromEntries(after));
  const programs = Object.entries(story.after ?? story.files).filter(([, content]) => isExecutable(content));
  if (place.executables) expect((await place.executables()).toSorted()).toEqual(programs.map(([path]) => path).sort());
  await everythingIsKept(place, story);
}

async function made(way: Way, step: Call, which: string, saved: Map<string, string>): Promise<void> {
  const [tool, agent = "agent"] = step.call.split(" ").reverse() as [string, string?];
  const answer = await way.call(agent, tool, step.input);
  const { text, data, kind, details, warnings } = answer;
  const told = `${which}, ${step.call}: ${text}`;
  expect(kind, told).toBe(step.refused);
  contains(text, step, which);
  if (step.exactly !== undefined) expect(text, which).toBe(step.exactly);
  if (step.data !== undefined) expect(data, told).toMatchObject(step.data);
  if (step.details !== undefined) expect(details, told).toMatchObject(step.details);
  expect(warnings, told).toEqual(step.warns.map((part) => expect.stringContaining(part)));
  for (const [name, place] of Object.entries(step.save))
    saved.set(name, valueIn(answer, place) ?? expect.fail(`${told}\nhas no ${place}`));
}

/** At a place of its data or details; else what a pattern finds in its text. */
function valueIn(answer: Answer, place: string): string | undefined {
  if (!/^(?:data|details)\./.test(place)) return new RegExp(place).exec(answer.text)?.[1];
  const value = place
    .split(".")
    .reduce<unknown>((all, key) => (all as Record<string, unknown> | undefined)?.[key], answer);
  return typeof value === "string" ? value : undefined;
}

async function commanded(step: Extract<Step, { stet: string }>, root: string, which: string): Promise<void> {
  const args = [join(import.meta.dirname, "../../dist/bin/stet.cjs"), ...step.stet.split(" "), "--root", root];
  const ended = await promisify(execFile)(process.execPath, args).then(
    ({ stdout, stderr }) => ({ code: 0, text: stdout + stderr }),
    ({ code, stdout, stderr }) => ({ code, text: stdout + stderr }),
  );
  expect(ended.code, `${which}: ${ended.text}`).toBe(step.exit);
  contains(ended.text, step, which);
}

async function admitted(way: Way, step: Extract<Step, { token: string | null }>, which: string): Promise<string> {
  const { status, text } = (await way.asked?.(step.token)) ?? expect.fail(`${which}: there are no tokens here`);
  expect(status, `${which}: ${text}`).toBe(step.status);
  return text;
}

function contains(text: string, { says, not }: Pick<Call, "says" | "not">, which: string): void {
  for (const part of says) expect(text, which).toContain(part);
  for (const part of not) expect(text, which).not.toContain(part);
}

/** Whatever was replaced or written can be had back, the chain holds, and the journal tells the story. */
async function everythingIsKept(place: Place, story: Story): Promise<void> {
  const workspace = await place.open();
  const told: string[] = [];
  for await (const { changes, outcome, session, agent, tool, error } of workspace.log()) {
    if (session !== "outside" && (outcome === "applied" || outcome === "refused"))
      told.push([agent, tool, outcome, error].filter(Boolean).join(" "));
    for (const sha of changes.flatMap(({ from, to }) => [from, to])) {
      if (outcome === "applied" && sha !== null) expect(await workspace.backend.recall(sha)).not.toBeNull();
    }
  }
  expect(await workspace.verify()).toMatchObject({ ok: true, problems: [] });
  if (story.journal !== undefined) expect(told).toEqual(story.journal);
  await workspace.close();
}

/** ${name}: what was saved; ${sha a.txt}: of the file as it is now; ${hash some line}: its anchor. */
async function named<T extends Step>(step: T, place: Place, saved: ReadonlyMap<string, string>): Promise<T> {
  const files = JSON.stringify(step).includes("${sha ") ? await place.files() : {};
  const value = (_all: string, name: string): string => {
    const [, kind, of = ""] = /^(sha|hash) (.*)$/.exec(name) ?? [];
    if (kind === "sha")
      return createHash("sha256")
        .update(files[of] ?? expect.fail(`no file ${of}`))
        .digest("hex");
    if (kind === "hash") return createHash("md5").update(of.trim()).digest("hex").slice(0, 6);
    return saved.get(name) ?? expect.fail(`nothing was saved as ${name}`);
  };
  return JSON.parse(JSON.stringify(step), (_key, each) =>
    typeof each === "string" ? each.replace(/\$\{([^}]+)\}/g, value) : each,
  );
}
