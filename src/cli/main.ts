#!/usr/bin/env node
// The command line. So far it says what there is.
const USAGE = `stet: file tools for AI agents. They change only what they have seen, and nothing they change is lost.

So far stet is a library:

  import { openWorkspace } from "stet";

See README.md for a first example.
`;

process.stdout.write(USAGE);
