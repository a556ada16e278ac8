// Three servers of one database, agents that collide, and a server that is killed among them. What is printed is what
// really happened: the exit code is 0 only if every moment came out as told.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { missingPostgres, startPostgres } from "../scripts/postgres.mjs";
import { createStory } from "./demo/story.mjs";
import { createAgent, startServer, stet } from "./demo-fleet/servers.mjs";

const missing = missingPostgres();
if (missing !== undefined) {
  process.stdout.write(`The demo cannot be played here: ${missing}.\n`);
  process.exit(0);
}

const ROUNDS = process.argv.includes("--short") ? 6 : 40;
const NAMES = ["ada", "bo", "cy"];
const story = createStory(process.stdout);
const home = mkdtempSync(join(tmpdir(), "stet-demo-fleet-"));
const config = join(home, "fleet.json");
const servers = [];
let database;
try {
  database = await startPostgres();
  writeFileSync(config, JSON.stringify({ database: database.url }));
  story.begin("a PostgreSQL database");
  const agents = await startAll();
  await collide(agents);
  await killOne(agents);
  await lookBack();
} catch (error) {
  story.broke(error);
} finally {
  for (const server of servers) await server.end("SIGTERM");
  await database?.remove();
  rmSync(home, { recursive: true, force: true });
}
process.exitCode = story.end();

async function startAll() {
  story.step("PostgreSQL and three servers, which keep nothing of their own");
  const token = async (name) => {
    const args = ["--tenant", "acme", "--role", "owner", "--workspaces", "shop", "--config", config, "--json"];
    return JSON.parse(await stet("token", "create", name, ...args)).token;
  };
  const first = await token(NAMES[0]);
  const [tokens] = await Promise.all([
    Promise.all(NAMES.slice(1).map(token)),
    ...NAMES.map(async () => servers.push(await startServer(config))),
  ]);
  for (const { url } of servers) story.say(`a server at ${url}`);
  const agents = [first, ...tokens].map((secret, n) => createAgent(NAMES[n], secret, servers).at(n));
  const made = await agents[0].call("create_file", { path: "board.md", content: "# Board\n" });
  story.called("create_file", { workspace: "shop", path: "board.md" }, made);
  story.check("ada has made the workspace and its first file, at the first server", made.ok);
  const { text } = await agents[1].call("read_file", { path: "board.md" });
  story.check("bo reads it at the second server", text.includes("# Board"));
  return agents;
}

async function collide([ada, bo]) {
  story.step("Two agents at two servers change the same version of a file at the same time");
  const seen = shaIn((await ada.call("read_file", { path: "board.md" })).text);
  const edit = (agent) => ({
    path: "board.md",
    edits: [{ oldText: "# Board\n", newText: `# Board of ${agent.name}\n` }],
    expectedSha256: seen,
  });
  await bo.call("read_file", { path: "board.md" });
  const answers = await Promise.all([ada, bo].map((agent) => agent.call("edit_file", edit(agent))));
  const winners = answers.filter(({ ok }) => ok);
  for (const [n, answer] of answers.entries()) story.called("edit_file", edit([ada, bo][n]), answer);
  story.check("one of them is made", winners.length === 1);
  const refused = answers.find(({ ok }) => !ok);
  story.check("the other is refused, and shown what changed", refused?.text.includes("# Board of") === true);
}

async function killOne(agents) {
  story.step(`Three agents write ${ROUNDS} lines each into one file, and a server is killed among them`);
  const wrote = async (agent, line) => {
    if (agent === agents[0] && line === 2) await servers[0].end("SIGKILL");
  };
  const refusals = await Promise.all(agents.map((agent) => writeLines(agent, wrote)));
  servers.shift();
  story.say("The first server was killed with SIGKILL. Its agent went on at another one, with the same token.");
  story.say(`Refused because another agent was faster, read again, and made: ${refusals.reduce((a, b) => a + b, 0)}`);
  const moved = agents.filter(({ movedOn }) => movedOn > 0).map(({ name }) => name);
  story.check(`an agent had to move on: ${moved.join(", ")}`, moved.length > 0);
  const { text } = await agents[1].call("read_file", { path: "board.md" });
  const expected = NAMES.flatMap((name) => Array.from({ length: ROUNDS }, (_, n) => `- ${name} ${n + 1}`));
  const times = expected.map((line) => text.split("\n").filter((each) => each.endsWith(line)).length);
  story.check(
    `all ${expected.length} lines are in the file, each of them once`,
    times.every((count) => count === 1),
  );
}

/** An agent looks before it writes: what came of a call whose server died is in the file, or it is not. */
async function writeLines(agent, wrote) {
  let refused = 0;
  for (let line = 1, tries = 0; line <= ROUNDS; tries++) {
    if (tries > 100 * ROUNDS) throw new Error(`${agent.name} got nowhere`);
    const { ok, text } = await agent.call("read_file", { path: "board.md" });
    if (!ok) continue;
    const own = `- ${agent.name} ${line}`;
    if (text.split("\n").some((each) => each.endsWith(own))) {
      await wrote(agent, line);
      line += 1;
      continue;
    }
    const title = /# Board of \w+/.exec(text)[0];
    const edits = [{ oldText: `${title}\n`, newText: `${title}\n${own}\n` }];
    const done = await agent.call("edit_file", { path: "board.md", edits, expectedSha256: shaIn(text) });
    if (!done.ok && !done.lost) refused += 1;
  }
  return refused;
}

async function lookBack() {
  story.step("What happened, and whether the journal is whole");
  const at = ["--root", "acme/shop", "--config", config];
  story.ran("stet log --limit 5 --root acme/shop", await stet("log", "--limit", "5", ...at));
  const verified = await stet("verify", ...at);
  story.ran("stet verify --root acme/shop", verified);
  story.check("the journal is whole, with the entries of all three servers", verified.includes("The journal is whole"));
}

function shaIn(text) {
  return /sha256=([0-9a-f]{64})/.exec(text)?.[1];
}
