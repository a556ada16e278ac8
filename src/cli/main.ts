#!/usr/bin/env node
// The command line as a process: real streams and signals around `runCli`. It never calls exit, so output is flushed.

import { runCli } from "./run.ts";
import { processTerminal } from "./terminal/process-terminal.ts";

void runCli(process.argv.slice(2), processTerminal()).then((code) => {
  // Output that could not be written has set it already.
  process.exitCode ??= code;
});
