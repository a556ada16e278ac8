// The commands that are run on a mutated state, and how one is run in this process.
import { Readable } from "node:stream";
import { pathsFor } from "./hostile.mjs";
import { sha256 } from "./journal.mjs";

/** What the program itself would read, print and end with. */
export function runnerOf(places, runCli) {
  return async (args, cwd = places.root, colour = false) => {
    const said = { out: "", err: "", progress: "" };
    const add = (where, text) => {
      said[where] += text;
    };
    const terminal = {
      cwd,
      env: { HOME: places.home, USER: "owner", STET_REGISTER: places.register, STET_CONFIG: `${cwd}/stet.config.json` },
      stdin: Readable.from([]),
      colour,
      signal: new AbortController().signal,
      progress: (text) => add("progress", text),
      out: (text) => add("out", text),
      err: (text) => add("err", text),
    };
    return { code: await runCli(args, terminal), ...said };
  };
}

/** `lastSeq` of the journal as it was before any mutation; of what is `wanted`, one is likely to be the first. */
export function commandsFor(random, places, { lastSeq, workspace, wanted }) {
  const count = process.env.STET_HEAVY === "1" ? 2 + random.below(2) : 1 + Number(random.chance(0.2));
  const chosen = Array.from({ length: count }, () => random.weighted(COMMANDS)({ random, places, lastSeq, workspace }));
  if (wanted.length > 0 && random.chance(0.6)) chosen[0] = random.pick(wanted);
  return chosen.map((args) => args.map(String));
}

const entry = ({ random, lastSeq }) => (random.chance(0.95) ? 1 + random.below(lastSeq + 3) : random.pick(ODD_ENTRIES));
const ODD_ENTRIES = [0, -1, "99999999999999999999", "1e3", "x"];
const path = ({ random, places, workspace }) =>
  random.pick(random.chance(0.7) ? [...workspace.keys()] : pathsFor(places).filter((each) => !each.includes("\0")));
/** All of the journal, or what came after the last that can no longer be undone. */
const time = ({ random }) => random.pick(["2026-01-01", "2026-01-31T12:00:16.500Z", "2026-01-31T12:30:00.000Z"]);
const json = ({ random }) => (random.chance(0.4) ? ["--json"] : []);

const tool =
  (names, input, surface = "workspace") =>
  (around) => {
    const inputs = [].concat(input(around));
    const calls = [].concat(names).flatMap((name, n) => [name, JSON.stringify(inputs[n])]);
    return ["call", "--surface", surface, ...(around.random.chance(0.3) ? ["--text"] : []), ...calls];
  };

/** A path of the workspace as it was, and the sha256 that it then had. */
const known = ({ random, workspace }) => {
  const [name, bytes] = random.pick([...workspace].filter(([name]) => !name.startsWith(".")));
  return { path: name, expectedSha256: sha256(bytes) };
};

const COMMANDS = [
  [8, (at) => ["log", ...json(at)]],
  [2, (at) => ["log", "--path", path(at), ...json(at)]],
  [1, (at) => ["log", "--refused", "--since", "2026-01-01", ...json(at)]],
  [8, (at) => ["show", entry(at), ...json(at)]],
  [3, (at) => ["undo", entry(at), "--dry-run", ...json(at)]],
  [3, (at) => ["undo", "--since", time(at), "--dry-run", ...json(at)]],
  [4, (at) => ["undo", entry(at), ...json(at)]],
  [2, (at) => ["undo", entry(at), "--merge", ...json(at)]],
  [2, (at) => ["undo", "--session", at.random.pick(["session-0", "forged"]), "--yes", ...json(at)]],
  [2, (at) => ["undo", "--since", time(at), "--yes", ...json(at)]],
  [4, (at) => ["trash", "list", ...json(at)]],
  [4, (at) => ["trash", "restore", entry(at), ...json(at)]],
  [3, (at) => ["trash", "purge", "--all", "--yes", ...json(at)]],
  [2, (at) => ["trash", "purge", entry(at), "--yes", ...json(at)]],
  [6, (at) => ["verify", ...json(at)]],
  [2, (at) => ["gc", "--keep", "1", "--dry-run", ...json(at)]],
  [2, (at) => ["gc", "--max-size", "1", "--even-recent", "--yes", ...json(at)]],
  [0.3, (at) => ["doctor", ...json(at)]],
  [2, (at) => ["adopt", "--dry-run", ...json(at)]],
  [3, (at) => ["adopt", ...json(at)]],
  [1.5, (at) => ["adopt", "--afresh", ...json(at)]],
  [2, (at) => ["policy", "explain", path(at), ...json(at)]],
  [5, tool("read_file", (at) => ({ path: path(at) }))],
  [2, tool("list_directory", () => ({ path: ".", recursive: true, includeHidden: true }))],
  [0.5, tool("search_files", () => ({ query: "line", mode: "text" }))],
  [3, tool("create_file", (at) => ({ path: `made-${at.random.below(9)}.txt`, content: "made\n" }))],
  [5, tool("write_file", (at) => ({ ...known(at), content: "written\n" }))],
  [2, tool("edit_file", (at) => ({ ...known(at), edits: [{ oldText: "2", newText: "two", replaceAll: true }] }))],
  [3, tool("delete_file", (at) => ({ path: path(at) }))],
  [2, tool("move_file", (at) => ({ fromPath: "a.txt", toPath: path(at), expectedSha256: known(at).expectedSha256 }))],
  [3, tool("audit_log", (at) => ({ includeDiff: at.random.chance(0.5) }))],
  [2, tool("list_trash", () => ({}))],
  [2, tool("restore_file", (at) => ({ trashedPath: at.random.chance(0.5) ? path(at) : `${entry(at)}` }))],
  [2, tool("read_file", (at) => ({ path: path(at), hashes: true }), "anchors")],
  [2, tool("write_file", (at) => ({ path: path(at), content: "anchored\n" }), "anchors")],
  [1, tool("Read", (at) => ({ file_path: path(at) }), "tracked")],
  [2, tool(["Read", "Write"], (at) => same(path(at), "tracked\n"), "tracked")],
];

const same = (file_path, content) => [{ file_path }, { file_path, content }];
