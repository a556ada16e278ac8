// What every section does with its figures: writes them as JSON where it was told, and ends although peers keep handles open.
import { writeFileSync } from "node:fs";

/** @param {(quick: boolean) => Promise<unknown>} measure */
export async function section(measure) {
  const [file = ""] = process.argv.slice(2);
  // Peers print what they like; the figures go to the file.
  console.log = console.warn = console.info = console.debug = () => {};
  const figures = await measure(process.argv.includes("--quick"));
  writeFileSync(file, JSON.stringify(figures));
  process.exit(0);
}
