// The page as the browser gets it: one script, one worker, one style sheet, and the licences of what is in them.
import { cpSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { notices } from "./notices.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const source = join(root, "src/page/client");

export async function bundlePage(folder) {
  mkdirSync(folder, { recursive: true });
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: [
      { in: "src/page/client/main.tsx", out: "app" },
      { in: "src/page/client/diff/worker.ts", out: "worker" },
      { in: "src/page/client/app.css", out: "app" },
    ],
    bundle: true,
    minify: true,
    metafile: true,
    format: "esm",
    platform: "browser",
    target: ["chrome120", "firefox121", "safari17.4"],
    tsconfig: join(source, "tsconfig.json"),
    outdir: folder,
    entryNames: "[name]",
    legalComments: "none",
    logLevel: "warning",
  });
  for (const file of ["index.html", "icon.svg"]) cpSync(join(source, file), join(folder, file));
  writeFileSync(join(folder, "NOTICES.txt"), notices(Object.keys(metafile.inputs), "The page"));
}
