// A copy of the project, in which code can be changed.
import { cpSync, mkdtempSync, realpathSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** What tests may import or read must be among these: a test that fails without a mutant is asked about none. */
export const COPIED = [
  "src",
  "test",
  "scripts",
  "bench",
  "examples",
  "docs",
  "package.json",
  "tsconfig.json",
  "vitest.config.ts",
];
export const LINKED = ["node_modules", "dist", "README.md", "CONTRIBUTING.md", "SECURITY.md", "stet.schema.json"];

export function copiedTree(root) {
  const tree = realpathSync(mkdtempSync(join(tmpdir(), "stet-mutants-")));
  for (const name of COPIED) cpSync(join(root, name), join(tree, name), { recursive: true });
  for (const name of LINKED) symlinkSync(join(root, name), join(tree, name));
  return tree;
}
