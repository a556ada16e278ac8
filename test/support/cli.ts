// The command line in this process. What it is made of is known in one place; tests import it from here.
export { type Ran, type Surroundings, stet } from "../internal/support/cli.ts";
