// Installs the MCP clients that the tests here drive, in programs/.
import { fileURLToPath } from "node:url";
import { installPrograms } from "../support/programs.mjs";

installPrograms({
  folder: fileURLToPath(new URL("programs/", import.meta.url)),
  what: "Claude Code, Codex, Gemini CLI and opencode (about 1.1 GB) into test/clients/programs",
  required: process.env.STET_CLIENTS === "required",
});
