// A copy of the project, in which code can be changed.
import { cpSync, mkdtempSync, realpathSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const COPIED = ["src", "test", "bench", "examples", "docs", "package.json", "tsconfig.json", "vitest.config.ts"];
const LINKED = ["node_modules", "dist", "README.md", "CONTRIBUTING.md", "SECURITY.md", "stet.schema.json"];

export function copiedTree(root) {
  const tree = realpathSync(mkdtempSync(join(tmpdir(), "stet-mutants-")));
  for (const name of COPIED) cpSync(join(root, name), join(tree, name), { recursive: true });
  for (const name of LINKED) symlinkSync(join(root, name), join(tree, name));
  return tree;
}
