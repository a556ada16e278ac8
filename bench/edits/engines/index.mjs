// The engines under comparison, in the order of the tables.
import { anthropic } from "./anthropic.mjs";
import { cline } from "./cline.mjs";
import { deepagents } from "./deepagents.mjs";
import { exact } from "./exact.mjs";
import { gemini } from "./gemini.mjs";
import { mastra } from "./mastra.mjs";
import { mcpFilesystem } from "./mcp-filesystem.mjs";
import { pi } from "./pi.mjs";
import { stet, stetSeen } from "./stet.mjs";

/**
 * @typedef {{ text: string, how?: string } | { refused: string }} EditResult
 * @typedef {{ onText: (content: string, oldText: string, newText: string) => EditResult | Promise<EditResult> }} TextEngine
 * @typedef {{ onFile: (path: string, oldText: string, newText: string) => Promise<{ refused: string } | undefined> }} FileEngine
 * @typedef {{ name: string, about: string, load: (scratch: string) => Promise<{ version: string } & (TextEngine | FileEngine)> }} Engine
 */

/** @type {readonly Engine[]} */
export const engines = [stet, stetSeen, exact, pi, gemini, cline, mcpFilesystem, anthropic, deepagents, mastra];
