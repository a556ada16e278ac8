// stet, one tool per surface, as a model would call it: no argument that a model does not see.
import { existsSync, readFileSync } from "node:fs";
import { patchOf } from "./answer.mjs";

const root = new URL("../../", import.meta.url);

/** @typedef {import("./answer.mjs").Answer} Answer */
/** @typedef {(name: string, input: object) => Promise<any>} Call */

/** @type {import("./answer.mjs").Tool[]} */
export const stetTools = [
  surface("workspace", workspace),
  surface("tracked", (call) => tracked(call)),
  surface("compact", (call) => tracked(call, 0)),
  surface("files", files, ({ files }) => files({ mode: "sandbox" })),
  surface("anchors", anchors),
];

/** The same without waiting for the disk at each change, as the peers work: for the figures of speed. */
export const stetWithoutFlush = surface("workspace", workspace, undefined, { durability: "fast" });

/** @param {string} name @param {(call: Call) => Omit<import("./answer.mjs").Agent, "close">} speak @param {(module: any) => unknown} [make] @param {{ durability?: "fast" }} [options] */
function surface(name, speak, make = ({ surfaceNamed }) => surfaceNamed(name), options = {}) {
  return {
    id: options.durability === undefined ? `stet ${name}` : `stet ${name}, ${options.durability}`,
    stet: true,
    async load() {
      const [{ openWorkspace }, surfaces] = await Promise.all([fromDist("index.js"), fromDist("surfaces/index.js")]);
      return {
        version: String(JSON.parse(readFileSync(new URL("package.json", root), "utf8")).version),
        confined: true,
        ranges: name !== "files",
        async list() {
          const workspace = openWorkspace({ root: process.cwd(), policy: { readOnly: true } });
          await workspace.close();
          const everything = { ...workspace.policy, readOnly: false, permits: () => true };
          return surfaces.offeredTools(make(surfaces), everything).map((/** @type {any} */ tool) => ({
            name: tool.name,
            description: tool.description,
            inputSchema: surfaces.inputSchema(tool),
          }));
        },
        /** @param {string} directory */
        async open(directory) {
          const workspace = openWorkspace({ root: directory, ...options });
          const session = workspace.session({ agent: "bench" });
          const dialect = make(surfaces);
          /** @type {Call} */
          const call = (tool, input) => surfaces.call(session, dialect, tool, input);
          return { ...speak(call), close: () => workspace.close() };
        },
      };
    },
  };
}

/** @param {string} file */
async function fromDist(file) {
  const entry = new URL(`dist/${file}`, root);
  if (!existsSync(entry)) throw new Error(`dist/${file} is absent (npm run build)`);
  return import(entry.href);
}

/** @param {any} result @returns {Answer} */
const answer = (result) => (result.ok ? { done: result.text } : { refused: result.text });

/** @param {Call} call */
function workspace(call) {
  /** @type {Map<string, string>} */
  const shas = new Map();
  /** @param {any} result @param {string} path */
  const remember = (result, path) => {
    if (result.ok) shas.set(path, result.data.afterSha256 ?? result.data.sha256);
    return answer(result);
  };
  const expected = (/** @type {string} */ path) => ({ expectedSha256: shas.get(path) ?? "" });
  return {
    /** @param {string} path @param {{ from: number, to: number }} [lines] */
    read: async (path, lines) =>
      remember(await call("read_file", { path, ...(lines && { startLine: lines.from, endLine: lines.to }) }), path),
    /** @param {string} path @param {string} oldText @param {string} newText */
    edit: async (path, oldText, newText) =>
      remember(await call("edit_file", { path, edits: [{ oldText, newText }], ...expected(path) }), path),
    /** @param {string} path @param {string} content */
    write: async (path, content) => remember(await call("write_file", { path, content, ...expected(path) }), path),
    /** @param {readonly { path: string, oldText: string, newText: string }[]} edits */
    patch: async (edits) => answer(await call("apply_patch", { patch: patchOf(edits) })),
  };
}

/** @param {Call} call @param {0 | 1} [firstLine] what the dialect calls the first line */
function tracked(call, firstLine = 1) {
  return {
    /** @param {string} path @param {{ from: number, to: number }} [lines] */
    read: async (path, lines) =>
      answer(
        await call("Read", {
          file_path: path,
          ...(lines && { offset: lines.from - 1 + firstLine, limit: lines.to - lines.from + 1 }),
        }),
      ),
    /** @param {string} path @param {string} old_string @param {string} new_string */
    edit: async (path, old_string, new_string) =>
      answer(await call("Edit", { file_path: path, old_string, new_string })),
    /** @param {string} path @param {string} content */
    write: async (path, content) => answer(await call("Write", { file_path: path, content })),
  };
}

/** @param {Call} call */
function files(call) {
  const run = async (/** @type {object} */ params) => {
    const result = await call("files", { params });
    return answer(result);
  };
  return {
    /** @param {string} path */
    read: (path) => run({ command: "read", file_path: path }),
    /** @param {string} path @param {string} old_string @param {string} new_string */
    edit: (path, old_string, new_string) => run({ command: "edit", file_path: path, old_string, new_string }),
    /** @param {string} path @param {string} content */
    write: (path, content) => run({ command: "write", file_path: path, content }),
  };
}

/** Names lines by the hashes of its last read, as a model that saw them would. @param {Call} call */
function anchors(call) {
  /** @type {Map<string, string>} */
  const shown = new Map();
  /** @param {string} path @param {{ from: number, to: number }} [lines] */
  const read = async (path, lines) => {
    const range = lines ? { offset: lines.from - 1, limit: lines.to - lines.from + 1 } : { limit: 2000 };
    const result = await call("read_file", { path, hashes: true, ...range });
    if (result.ok) shown.set(path, result.text);
    return answer(result);
  };
  return {
    read,
    /** @param {string} path @param {string} oldText @param {string} newText */
    async edit(path, oldText, newText) {
      if (!shown.has(path)) await read(path);
      const place = placeOf(linesWithHashes(shown.get(path) ?? ""), oldText, newText) ?? invented(newText);
      const result = await call("edit", { path, operations: [place] });
      return answer(result);
    },
    /** @param {string} path @param {string} content */
    write: async (path, content) => answer(await call("write_file", { path, content })),
  };
}

/** @param {string} text */
function linesWithHashes(text) {
  return text.split("\n").flatMap((line) => {
    const found = /^\d+#([0-9a-f]+)[^|]*\|(.*)$/.exec(line);
    return found ? [{ hash: String(found[1]), text: String(found[2]) }] : [];
  });
}

/** What a model does that asks for a line it was never shown. @param {string} content */
const invented = (content) => ({ op: "replace_line", hash: "0000000", content });

/** The first lines that hold the old text, as an operation on whole lines. @param {readonly { hash: string, text: string }[]} lines @param {string} oldText @param {string} newText */
function placeOf(lines, oldText, newText) {
  const height = oldText.split("\n").length;
  if (oldText === "") return undefined;
  for (let at = 0; at + height <= lines.length; at++) {
    const span = lines.slice(at, at + height);
    const block = span.map(({ text }) => text).join("\n");
    if (!block.includes(oldText)) continue;
    const content = block.replace(oldText, () => newText);
    const [first, last] = [span[0]?.hash, span.at(-1)?.hash];
    return height === 1
      ? { op: "replace_line", hash: first, content }
      : { op: "replace_range", start_hash: first, end_hash: last, content };
  }
  return undefined;
}
