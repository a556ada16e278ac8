// What a reader opens who follows one call through the code. Run `npm run trace`; `node scripts/trace.mjs ROOT` traces another
// project that was built; `--list edit_file` also prints the way of that call.
//
// A copy of dist/ notes the file of every function that is entered, in the order of entering. Of a server's call all counts
// from the arrival of the request to 0.1 s after its answer, when the connection is open and another call was answered; of a
// command all that its process enters.
//   files     files with a function that was entered
//   switches  of these files in the order of their first entry: how often the next one lies in another folder than the one before
//   entries   of all entries: how often the next one lies in another folder than the one before (helpers count as often as called)
// Packages, other threads and processes, and going on after an `await` do not count.
import "../bench/own-register.mjs";
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { parseSync, Visitor } from "oxc-parser";
import { connect as connectHttp } from "../bench/mcp/http-client.mjs";
import { connect as connectStdio } from "../bench/mcp/stdio-client.mjs";

const { values, positionals } = parseArgs({ allowPositionals: true, options: { list: { type: "string" } } });
const root = positionals[0] ?? fileURLToPath(new URL("..", import.meta.url));
// Inside node_modules: from there its packages are found.
mkdirSync(join(root, "node_modules/.cache"), { recursive: true });
const scratch = mkdtempSync(join(root, "node_modules/.cache/stet-trace-"));
const work = join(scratch, "work");
const notes = join(scratch, "notes");
const TEXT = "const a = 1;\nconst b = 2;\n\nexport { a, b };\n";
const READ = ["read_file", { path: "src/a.js" }];
const CREATE = ["create_file", { path: "src/b.js", content: "export const c = 4;\n" }];
const EDIT = [
  "edit_file",
  {
    path: "src/a.js",
    edits: [{ oldText: "const b = 2;", newText: "const b = 3;" }],
    expectedSha256: createHash("sha256").update(TEXT).digest("hex"),
  },
];

const CALLS = {
  "edit_file over stdio": () => overStdio("workspace", [READ, CREATE], EDIT),
  "Grep over stdio": () =>
    overStdio("tracked", [["Read", { file_path: "src/a.js" }]], ["Grep", { pattern: "const b" }]),
  "stet undo": () => commandLine("undo", "2", "--root", work),
  "read_file over HTTP": () => overHttp([["list_directory", { path: "src" }]], READ),
};

try {
  makeTracedCopy();
  mkdirSync(join(work, "src"), { recursive: true });
  writeFileSync(join(work, "src/a.js"), TEXT);
  for (const [name, make] of Object.entries(CALLS)) report(name, await make());
} finally {
  rmSync(scratch, { recursive: true, force: true });
}

function report(name, entered) {
  const files = [...new Set(entered)];
  const changes = (list) => list.filter((file, n) => n > 0 && dirname(file) !== dirname(list[n - 1])).length;
  console.log(
    `${name.padEnd(20)} ${files.length} files, ${changes(files)} switches, ${changes(entered)} of all entries`,
  );
  if (!name.startsWith(values.list ?? " ")) return;
  for (const [n, file] of entered.entries()) if (file !== entered[n - 1]) console.log(`  ${file}`);
}

async function overStdio(surface, warm, call) {
  const client = await connectStdio(program("mcp", work, "--surface", surface));
  try {
    return await enteredBy(client, warm, call);
  } finally {
    await client.close();
  }
}

async function overHttp(warm, call) {
  const { command, args } = program("serve", work, "--port", "0", "--json");
  const child = spawn(command, args, { stdio: ["ignore", "pipe", "inherit"] });
  const exited = once(child, "exit");
  try {
    const [line] = await once(createInterface({ input: child.stdout }), "line");
    return await enteredBy(await connectHttp(JSON.parse(line)), warm, call);
  } finally {
    child.kill();
    await exited;
  }
}

async function commandLine(...given) {
  const { command, args } = program(...given);
  const child = spawn(command, args, { stdio: ["ignore", "ignore", "inherit"] });
  const [code] = await once(child, "exit");
  if (code !== 0) throw new Error(`stet ${given[0]} ended with ${code}.`);
  return noted();
}

async function enteredBy(client, warm, call) {
  for (const each of warm) await client.call(...each);
  await sleep(100);
  writeFileSync(notes, "");
  await client.call(...call);
  await sleep(100);
  return noted();
}

function program(...given) {
  writeFileSync(notes, "");
  const args = ["--import", join(scratch, "note.mjs"), join(scratch, "dist/cli/main.js"), ...given];
  return { command: process.execPath, args };
}

function noted() {
  return readFileSync(notes, "utf8").split("\n").slice(0, -1);
}

function makeTracedCopy() {
  cpSync(join(root, "dist"), join(scratch, "dist"), { recursive: true });
  cpSync(join(root, "package.json"), join(scratch, "package.json"));
  const note = `globalThis.stetEnters = (file) => appendFileSync(${JSON.stringify(notes)}, file + "\\n")`;
  const mains =
    'import { appendFileSync } from "node:fs";\nimport { isMainThread } from "node:worker_threads";\nif (isMainThread)';
  writeFileSync(join(scratch, "note.mjs"), `${mains} ${note};\n`);
  for (const name of readdirSync(join(scratch, "dist"), { recursive: true }).filter((each) => each.endsWith(".js"))) {
    const file = join(scratch, "dist", name);
    writeFileSync(file, traced(name, readFileSync(file, "utf8")));
  }
}

function traced(name, code) {
  const note = `globalThis.stetEnters?.(${JSON.stringify(name)})`;
  const inserted = [];
  const enter = ({ body }) => {
    if (body?.type === "BlockStatement") inserted.push([body.start + 1, `${note};`]);
    else if (body) inserted.push([body.end, ")"], [body.start, `(${note},`]);
  };
  const each = { FunctionDeclaration: enter, FunctionExpression: enter, ArrowFunctionExpression: enter };
  new Visitor(each).visit(parseSync(name, code).program);
  return inserted.sort(([a], [b]) => b - a).reduce((text, [at, put]) => text.slice(0, at) + put + text.slice(at), code);
}
