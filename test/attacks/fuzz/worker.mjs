// Mutates states from one seed on and runs commands on each. By hand: node test/attacks/fuzz/worker.mjs SEED [COUNT] --tell
import fs from "node:fs";
import { chancesOf } from "./chances.mjs";
import { commandsFor, runnerOf } from "./commands.mjs";
import { FORGERIES } from "./forged-entries.mjs";
import { MUTATIONS } from "./mutations.mjs";
import { CANARY, everything, makePlaces, outsideOf, watched } from "./places.mjs";
import { isCertainlyForeign, KINDS, layOut } from "./state.mjs";
import { makeTemplate } from "./template.mjs";

const [first = "1", count = "1"] = process.argv.slice(2).filter((arg) => !arg.startsWith("--"));
const tells = process.argv.includes("--tell");
process.env.STET_SEARCH = "javascript";
const { runCli } = await import("../../../dist/cli/run.js");

const COLOURS = /\u001b\[[0-9;]*m/g;
const OBEYED = /(?![\n\t])\p{Cc}|[\p{Cf}\p{Surrogate}\u2028\u2029]/u;

const places = await makePlaces();
say(`in ${places.base}`);
process.on("exit", places.remove);
const run = runnerOf(places, runCli);
const template = await makeTemplate(places, run);
const lastSeq = template.segments.at(-1).entries.at(-1).seq;
const asMade = JSON.stringify(template.segments);
let seed = Number(first);
process.on("uncaughtException", (error) => failed(`uncaught: ${error?.stack}`));
process.on("unhandledRejection", (error) => failed(`unhandled: ${error?.stack}`));

layOut(places, template, "ours", { segments: template.segments, pending: new Map(), links: new Map() });
let known = [];
let megabytes = 0;
let untouched = outsideOf(places);
for (let n = 0; n < Number(count); n++, seed++) {
  // What it takes to find that out is more than what some states take.
  if (n % 10 === 0) megabytes = Math.round(process.resourceUsage().maxRSS / 1024);
  say(`seed ${seed} ${megabytes}`);
  await oneState(chancesOf(seed));
}
say(`done ${Math.round(process.resourceUsage().maxRSS / 1024)}`);
process.exit(0);

async function oneState(random) {
  const kind = random.weighted(KINDS);
  const { did, wanted } = mutated(random, kind);
  const outside = outsideOf(places);
  if (outside !== untouched) throw new Error(`the mutations of seed ${seed} reached outside`);
  if (tells) say([kind, ...did].join("\n  "));
  const before = {
    around: watched(places, outside),
    all: isCertainlyForeign(places, kind) ? everything(places) : null,
  };
  for (const args of commandsFor(random, places, { lastSeq, workspace: template.workspace, wanted })) {
    const colour = random.chance(0.2);
    // Its owner waits ten seconds there, as told, for a process that says that it holds the lock.
    if (args[0] === "adopt" && did.some((each) => /^lock:|lock\/held"$/.test(each))) continue;
    if (tells) say(`stet ${args.join(" ").slice(0, 200)}`);
    const began = performance.now();
    const ran = await run(args, places.root, colour).catch((error) => ({ code: 70, out: "", err: `${error?.stack}` }));
    const took = performance.now() - began;
    if (tells) say(`  ${ran.code} in ${Math.round(took)} ms\n${(ran.out + ran.err).slice(0, 3000)}`);
    if (took > 1000) say(`slow: seed ${seed}: ${args.join(" ")} ${Math.round(took)} ms`);
    if (args[0] === "adopt" && !args.includes("--dry-run")) before.all = null;
    const wrong = [...wrongIn(ran, colour), ...changedSince(before)];
    const open = leftOpen();
    const left = open.filter((each) => !known.includes(each));
    if (left.length > 0) wrong.push(`left open: ${left.join(", ")}`);
    known = open;
    for (const each of wrong) failed(`stet ${args.join(" ").slice(0, 300)}: ${each}\n  ${[kind, ...did].join("\n  ")}`);
    if (wrong.length > 0) return;
  }
}

/** One to four at once, some of them to the journal before it is written. */
function mutated(random, kind) {
  const draft = {
    segments: JSON.parse(asMade),
    pending: new Map(),
    links: new Map(),
    random,
    places,
  };
  Object.assign(draft, { kept: template.kept, workspace: template.workspace, wanted: [] });
  const many = 1 + random.below(4);
  const forgeries = Array.from({ length: many }, () => random.chance(0.45));
  const did = forgeries.filter(Boolean).map(() => attempt(random.weighted(FORGERIES), draft));
  const { hashes } = layOut(places, template, kind, { ...draft, snapshot: template.snapshot });
  const made = { ...draft, hashes, files: filesOf() };
  for (const forged of forgeries) if (!forged) did.push(attempt(random.weighted(MUTATIONS), made));
  return { did, wanted: draft.wanted };
}

function filesOf() {
  const entries = fs
    .readdirSync(places.state, { recursive: true, withFileTypes: true })
    .filter((each) => each.isFile());
  const names = entries.map(({ parentPath, name }) => `${parentPath}/${name}`.slice(places.state.length + 1)).sort();
  // Not the id: without it little else is looked at.
  const files = names.filter((name) => name !== "id");
  const parts = [".", ...new Set(files.filter((name) => name.includes("/")).map((name) => name.split("/")[0]))];
  const isIn = (part, name) => (part === "." ? !name.includes("/") : name.startsWith(`${part}/`));
  return parts.map((part) => files.filter((name) => isIn(part, name)).map((name) => `${places.state}/${name}`));
}

/** Where one mutation took away what another needs, that one does nothing. */
function attempt(mutation, what) {
  try {
    return mutation(what);
  } catch (error) {
    if (error?.code === undefined && !(error instanceof TypeError)) throw error;
    return `nothing by ${mutation.name} (${error.code ?? error.message})`;
  }
}

function* wrongIn({ code, out, err, progress = "" }, colour) {
  const all = out + err + progress;
  if (![0, 1, 2].includes(code) || all.includes("a defect in stet")) yield `ended with ${code}\n${all.slice(0, 3000)}`;
  if (all.includes(CANARY)) yield `shows what is outside or denied: ${around(all, all.indexOf(CANARY))}`;
  const raw = (colour ? all.replace(COLOURS, "") : all).search(OBEYED);
  if (raw !== -1) yield `prints a raw character: ${around(all, raw)}`;
}

function* changedSince({ around: was, all }) {
  const is = watched(places);
  if (is !== was) untouched = outsideOf(places);
  if (is !== was) yield `changed something outside:\n${difference(was, is)}`;
  if (all === null) return;
  const now = everything(places);
  if (now !== all) yield `changed something in a foreign state or its workspace:\n${difference(all, now)}`;
}

/** Files of the workspace or its state that are still open although every command has ended. */
function leftOpen() {
  const open = fs.readdirSync("/proc/self/fd").map((fd) => {
    try {
      return `${fd} ${fs.readlinkSync(`/proc/self/fd/${fd}`).replace(/ \(deleted\)$/, "")}`;
    } catch {
      return "";
    }
  });
  return open.filter((each) => each.includes(places.root));
}

function difference(was, is) {
  const [old, now] = [was, is].map((text) => text.split("\n"));
  const lines = [
    ...old.filter((l) => !now.includes(l)).map((l) => `- ${l}`),
    ...now.filter((l) => !old.includes(l)).map((l) => `+ ${l}`),
  ];
  return lines.slice(0, 10).join("\n");
}

function around(text, at) {
  return JSON.stringify(text.slice(Math.max(0, at - 80), at + 80));
}

function failed(what) {
  say(`failed seed ${seed}: ${what.replaceAll("\n", " | ")}`);
}

/** At once, so that the parent knows the seed at which this process hangs. */
function say(text) {
  fs.writeSync(1, `${text}\n`);
}
