// stet init: writes a configuration with comments, and never over one that is there.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { printable } from "../../core/printable.ts";
import { absolute, CONFIG_NAME, realDirectory } from "../config/paths.ts";
import { writeNewFile } from "../install/owner-file.ts";
import type { Command } from "../options/command.ts";
import { UsageError } from "../options/given.ts";
import { answer } from "../terminal/print.ts";

export const init: Command = {
  name: "init",
  summary: "Write stet.config.json with comments",
  usage: "init [DIR]",
  options: {},
  examples: ["stet init", "stet init ~/project"],
  async run(terminal, given) {
    if (given.positionals.length > 1)
      throw new UsageError("stet init takes one directory.", `Usage: stet ${init.usage}`);
    const directory = realDirectory(absolute(terminal.cwd, given.positionals[0] ?? ".", terminal.env));
    const path = join(directory, CONFIG_NAME);
    writeNewFile(path, template(existsSync(join(directory, "node_modules", "stet", SCHEMA))));
    answer(terminal, given, { path }, `Wrote ${printable(path)}\n`);
    if (!given.json)
      terminal.err("No tool can read or change it. Next: stet doctor, then stet install --client NAME.\n");
    return 0;
  },
};

const SCHEMA = "stet.schema.json";

function template(hasSchema: boolean): string {
  const schema = hasSchema ? `  "$schema": "./node_modules/stet/${SCHEMA}",\n\n` : "";
  return `// What agents may do here. No tool of stet can read or change this file. A file that you name with --config may say
// more, as roots, limits and http: docs/configuration.md has every key.
{
${schema}  // The tools that agents get: workspace, tracked, compact, files, anchors or filesystem, or several joined by commas.
  "surface": "workspace",

  // true: agents can read, and change nothing.
  "readOnly": false,

  "policy": {
    // Denied with everything below, besides secrets, keys, .git and the like, which are protected anyway.
    "deniedPaths": [],
    // When given, everything else is denied.
    // "allowedPaths": ["src/**", "docs/**"],
    // "allowedActions": ["read", "list", "search", "create", "write", "edit"],
  },

  // A change of a file that has changed since the agent saw it: "reject" it, or "rebase" it where that is exact.
  "onStale": "reject",
}
`;
}
