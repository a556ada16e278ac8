#!/usr/bin/env node
// The program `stet`: runs the bundled command line that lies beside it, with the code V8 compiled at an earlier start.
import { createRequire } from "node:module";
import { join } from "node:path";
import { privateCache, runKept } from "./compiled.ts";

const program = join(import.meta.dirname, "program.cjs");
const cache = privateCache();

if (cache === undefined) createRequire(program)(program);
else runKept(program, cache);
