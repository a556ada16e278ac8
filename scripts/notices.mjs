// The licences of the packages that bundled code carries along.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));

/** `inputs`: the files that were bundled into `what`. */
export function notices(inputs, what) {
  const packages = new Set(inputs.flatMap((file) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0] ?? []));
  const texts = [...packages].sort().map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8"));
    const file = readdirSync(join(root, folder)).find((each) => /^licen[cs]e/i.test(each));
    const text = file === undefined ? "" : readFileSync(join(root, folder, file), "utf8").trim();
    return `${name} ${version} (${license})\n\n${text}`;
  });
  return `${what} contains code of these packages.\n\n${texts.join(`\n\n${"-".repeat(80)}\n\n`)}\n`;
}
