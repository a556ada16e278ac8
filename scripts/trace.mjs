// What a reader of the code passes who follows one call: `npm run trace`. `node scripts/trace.mjs ROOT` traces another project
// that was built, `--list edit_file` prints the way of that call.
//
// A copy of dist/ notes the file of every function that is entered, in the order of entering. Of a server's call all counts
// from the arrival of the request to 0.1 s after its answer, once other calls were answered; of a command all of its process.
//   files     that had a function entered
//   switches  how often the next function lies in another folder than the one entered before it
//   layers    the same for the first folders of the paths, with `core` left out: every layer speaks its words
// Packages, other threads and processes, and going on after an `await` do not count.
import "../bench/own-state.mjs";
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

const path = "src/a.js";
const TEXT = "const a = 1;\nconst b = 2;\n\nexport { a, b };\n";
const expectedSha256 = createHash("sha256").update(TEXT).digest("hex");
const WRITE = ["write_file", { path: "src/b.js", content: "export const c = 4;\n", expectedSha256 }];
const EDIT = { path, edits: [{ oldText: "const b = 2;", newText: "const b = 3;" }], expectedSha256 };
const READ = ["read_file", { path }];

const CALLS = {
  "edit_file over stdio": () => overStdio("workspace", [READ, WRITE], ["edit_file", EDIT]),
  "Grep over stdio": () => overStdio("tracked", [["Read", { file_path: path }]], ["Grep", { pattern: "const b" }]),
  "stet undo": () => commandLine("undo", "2", "--root", work),
  "read_file over HTTP": () => overHttp([["list_directory", { path: "src" }]], READ),
};

try {
  makeTracedCopy();
  mkdirSync(join(work, "src"), { recursive: true });
  for (const name of ["src/a.js", "src/b.js"]) writeFileSync(join(work, name), TEXT);
  for (const [name, make] of Object.entries(CALLS)) report(name, await make());
} finally {
  rmSync(scratch, { recursive: true, force: true });
}

function report(name, entered) {
  const switches = (places) => places.filter((place, n) => n > 0 && place !== places[n - 1]).length;
  const layers = entered.map((file) => file.split("/")[0]).filter((layer) => layer !== "core");
  const figures = [new Set(entered).size, switches(entered.map((file) => dirname(file))), switches(layers)];
  console.log(`${name.padEnd(20)} ${figures[0]} files, ${figures[1]} switches, ${figures[2]} layers`);
  if (!name.startsWith(values.list ?? " ")) return;
  for (const [n, file] of entered.entries()) if (file !== entered[n - 1]) console.log(`  ${file}`);
}

async function overStdio(surface, warm, call) {
  const client = await connectStdio({ command: process.execPath, args: argsOf("mcp", work, "--surface", surface) });
  return enteredBy(client, warm, call).finally(client.close);
}

async function overHttp(warm, call) {
  const child = spawn(process.execPath, argsOf("serve", work, "--port", "0", "--json"));
  const [line] = await once(createInterface({ input: child.stdout }), "line");
  const client = await connectHttp(JSON.parse(line));
  return enteredBy(client, warm, call).finally(() => child.kill());
}

async function commandLine(...given) {
  const [code] = await once(spawn(process.execPath, argsOf(...given), { stdio: "ignore" }), "exit");
  if (code !== 0) throw new Error(`stet ${given[0]} ended with ${code}.`);
  return readFileSync(notes, "utf8").split("\n").slice(0, -1);
}

async function enteredBy(client, warm, call) {
  for (const each of warm) await client.call(...each);
  await sleep(500);
  writeFileSync(notes, "");
  await client.call(...call);
  await sleep(100);
  return readFileSync(notes, "utf8").split("\n").slice(0, -1);
}

function argsOf(...given) {
  writeFileSync(notes, "");
  return ["--import", join(scratch, "note.mjs"), join(scratch, "dist/cli/main.js"), ...given];
}

function makeTracedCopy() {
  cpSync(join(root, "dist"), join(scratch, "dist"), { recursive: true });
  cpSync(join(root, "package.json"), join(scratch, "package.json"));
  const parts = 'import { appendFileSync } from "node:fs";\nimport { isMainThread } from "node:worker_threads";\n';
  const enters = `globalThis.stetEnters = (file) => appendFileSync(${JSON.stringify(notes)}, file + "\\n")`;
  writeFileSync(join(scratch, "note.mjs"), `${parts}if (isMainThread) ${enters};\n`);
  for (const name of readdirSync(join(scratch, "dist"), { recursive: true }).filter((each) => each.endsWith(".js"))) {
    const file = join(scratch, "dist", name);
    writeFileSync(file, traced(name, readFileSync(file, "utf8")));
  }
}

function traced(name, code) {
  const note = `globalThis.stetEnters?.(${JSON.stringify(name)})`;
  const put = [];
  const enter = ({ body }) => {
    if (body?.type === "BlockStatement") put.push([body.start + 1, `${note};`]);
    else if (body) put.push([body.end, ")"], [body.start, `(${note},`]);
  };
  const each = { FunctionDeclaration: enter, FunctionExpression: enter, ArrowFunctionExpression: enter };
  new Visitor(each).visit(parseSync(name, code).program);
  return put.sort(([a], [b]) => b - a).reduce((text, [at, more]) => text.slice(0, at) + more + text.slice(at), code);
}
