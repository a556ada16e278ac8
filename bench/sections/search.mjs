// Search beside bare ripgrep.
import { printed } from "./printed.mjs";
import { section } from "./section.mjs";

await section(async (quick) => printed("search.mjs", quick ? ["3", "5000"] : ["7", "50000"]));
