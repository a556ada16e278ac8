// Serves the page's files as the build made them, each read once.
import { existsSync, readFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { Refusal } from "../../core/failure.ts";
import { takesGzip } from "./answer.ts";

const FILES: Readonly<Record<string, readonly [file: string, type: string]>> = {
  "/": ["index.html", "text/html; charset=utf-8"],
  "/page/app.js": ["app.js", "text/javascript; charset=utf-8"],
  "/page/worker.js": ["worker.js", "text/javascript; charset=utf-8"],
  "/page/app.css": ["app.css", "text/css; charset=utf-8"],
  "/page/icon.svg": ["icon.svg", "image/svg+xml"],
};

/** Sends a file of the page; false when there is none at this path. */
export type Assets = (path: string, request: IncomingMessage, response: ServerResponse) => boolean;

interface Asset {
  readonly plain: Buffer;
  readonly packed: Buffer;
  readonly type: string;
}

/** Reads a file when it is first asked for, so a server without the page starts all the same. */
export function openAssets(folder: string | undefined): Assets {
  const read = new Map<string, Asset>();
  return (path, request, response) => {
    if (!Object.hasOwn(FILES, path)) return false;
    const asset = read.get(path) ?? readAsset(path, folder ?? pageFolder());
    read.set(path, asset);
    const packs = takesGzip(request);
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

function readAsset(path: string, folder: string): Asset {
  const [file, type] = FILES[path]!;
  const plain = readFileSync(join(folder, file));
  return { plain, packed: gzipSync(plain, { level: 9 }), type };
}

/** Beside the bundled program or its modules; run from sources, where the last build put it. */
export function pageFolder(): string {
  const places = ["../page/client/", "../client/", "../../../dist/page/client/"];
  const folders = places.map((place) => fileURLToPath(new URL(place, import.meta.url)));
  const found = folders.find((folder) => existsSync(join(folder, "app.js")));
  if (found !== undefined) return found;
  throw new Refusal("not_found", "The files of the page are not there.", { next: "Install stet again, or build it." });
}
