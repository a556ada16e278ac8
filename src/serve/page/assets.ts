// The files of the page, as the build makes them: read once, sent as they are.
import { readFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { Refusal } from "../../core/failure.ts";

const FILES: Readonly<Record<string, readonly [file: string, type: string]>> = {
  "/": ["index.html", "text/html; charset=utf-8"],
  "/page/app.js": ["app.js", "text/javascript; charset=utf-8"],
  "/page/worker.js": ["worker.js", "text/javascript; charset=utf-8"],
  "/page/app.css": ["app.css", "text/css; charset=utf-8"],
  "/page/icon.svg": ["icon.svg", "image/svg+xml"],
};

/** Sends a file of the page; false when the path is none. */
export type Assets = (path: string, request: IncomingMessage, response: ServerResponse) => boolean;

export function readAssets(folder = defaultFolder()): Assets {
  const read = new Map<string, { readonly plain: Buffer; readonly packed: Buffer; readonly type: string }>();
  for (const [path, [file, type]] of Object.entries(FILES)) {
    const plain = readFileSync(join(folder, file));
    read.set(path, { plain, packed: gzipSync(plain, { level: 9 }), type });
  }
  return (path, request, response) => {
    const asset = read.get(path);
    if (asset === undefined) return false;
    const packs = /\bgzip\b/.test(String(request.headers["accept-encoding"] ?? ""));
    const body = packs ? asset.packed : asset.plain;
    response.writeHead(200, {
      "content-type": asset.type,
      "content-length": body.length,
      ...(packs && { "content-encoding": "gzip" }),
    });
    response.end(request.method === "HEAD" ? undefined : body);
    return true;
  };
}

/** Beside the bundled program, the modules, or, run from sources, what was built last. */
function defaultFolder(): string {
  const places = ["../page/", "../../page/", "../../../dist/page/"];
  const folders = places.map((place) => fileURLToPath(new URL(place, import.meta.url)));
  const found = folders.find((folder) => isThere(join(folder, "app.js")));
  if (found !== undefined) return found;
  throw new Refusal("not_found", "The files of the page are not there.", { next: "Install stet again, or build it." });
}

function isThere(file: string): boolean {
  try {
    readFileSync(file);
    return true;
  } catch {
    return false;
  }
}
