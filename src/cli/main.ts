#!/usr/bin/env node
// The command line as a process: real streams and signals around `runCli`. It never calls exit, so output is flushed.
import { config } from "zod";
import { runCli } from "./run.ts";
import { processTerminal } from "./terminal/process-terminal.ts";

// zod compiles a parser for every schema at its first use; most are used once or twice, and stet starts sooner without.
config({ jitless: true });

void runCli(process.argv.slice(2), processTerminal()).then((code) => {
  // Output that could not be written has set it already.
  process.exitCode ??= code;
});
