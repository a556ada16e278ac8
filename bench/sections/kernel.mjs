// A gated change, a read with its hash and a 100 MB edit beside the bare system calls.
import { printed } from "./printed.mjs";
import { section } from "./section.mjs";

await section(async (quick) => printed("kernel.mjs", quick ? ["3"] : []));
