// The attacker for machines without a C compiler or RENAME_EXCHANGE: swaps two entries by three renames each time.
import { renameSync } from "node:fs";

const [first, second] = process.argv.slice(2);
const aside = `${second}.aside`;
let swaps = 0;

function swap() {
  renameSync(first, aside);
  renameSync(second, first);
  renameSync(aside, second);
  swaps += 1;
}

function burst() {
  for (let i = 0; i < 64; i++) swap();
  process.stdout.write("going on\n", () => setImmediate(burst));
}

process.on("SIGTERM", () => {
  process.stdout.write(`swaps ${swaps}\n`, () => process.exit(0));
});
process.on("disconnect", () => process.exit(0));

swap();
process.stdout.write("ready\n");
burst();
