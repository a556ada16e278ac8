// How stet's times grow with files, sizes, sessions and journal.
import { measureGrowth } from "../speed/growth.mjs";
import { section } from "./section.mjs";

await section(async (quick) => ({ growths: await measureGrowth({ quick }) }));
