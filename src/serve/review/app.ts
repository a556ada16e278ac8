// The review as an MCP App: one HTML document with its script and style in it, which the client shows in a frame.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import {
  CLIENT_CAPABILITIES_META_KEY,
  type ReadResourceResult,
  type Server,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { Refusal } from "../../core/failure.ts";
import { isRecord } from "../../core/is-record.ts";
import { pageFolder } from "../page/assets.ts";

export const REVIEW_URI = "ui://stet/review";
const MIME_TYPE = "text/html;profile=mcp-app";
const EXTENSION = "io.modelcontextprotocol/ui";

/** Where the files of the page are not there, nothing is offered. */
export function hasReview(): boolean {
  try {
    return existsSync(join(pageFolder(), "review.js"));
  } catch (error) {
    if (error instanceof Refusal) return false;
    throw error;
  }
}

/** Whether the client shows apps. In protocol 2026-07-28 every request says so, before that the connection did. */
export function showsApps({ mcpReq }: Pick<ServerContext, "mcpReq">, server: Server): boolean {
  const told = (mcpReq.envelope as Record<string, unknown> | undefined)?.[CLIENT_CAPABILITIES_META_KEY];
  const { extensions } = (told ?? server.getClientCapabilities() ?? {}) as { readonly extensions?: unknown };
  const apps = isRecord(extensions) ? extensions[EXTENSION] : undefined;
  if (!isRecord(apps)) return false;
  return !Array.isArray(apps.mimeTypes) || apps.mimeTypes.includes(MIME_TYPE);
}

/** Asks nothing of any server, and needs nothing of the browser. */
export function readReview(): ReadResourceResult {
  const _meta = { ui: { prefersBorder: true } };
  return { contents: [{ uri: REVIEW_URI, mimeType: MIME_TYPE, text: documentOf(pageFolder()), _meta }] };
}

function documentOf(folder: string): string {
  const [code, style] = ["review.js", "app.css"].map((file) => readFileSync(join(folder, file), "utf8"));
  const script = code!.replaceAll(/<(?=\/script|!--)/gi, "\\x3c");
  return [
    '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>stet</title>',
    `<style>${style}</style></head><body class="review"><div id="app"></div>`,
    `<script type="module">${script}</script></body></html>`,
  ].join("");
}
