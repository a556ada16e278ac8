// The recorded scenarios of another apply-patch implementation, and the four where our rule differs.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { parsePatch, planPatch } from "stet/edit";
import { describe, expect, test } from "vitest";

const folder = fileURLToPath(new URL("../../../shared/data/peer-cases/codex-apply-patch/", import.meta.url));
const present = existsSync(folder);
if (!present) console.warn("skipped: the recorded apply-patch scenarios are not here");

const REFUSED_BY_OUR_RULE: Readonly<Record<string, string>> = {
  "010_move_overwrites_existing_destination": "already_exists",
  "011_add_overwrites_existing_file": "already_exists",
  "015_failure_after_partial_success_leaves_changes": "not_found",
  // A lone CR ends a line there; here it is a character of the line, as in every search and diff.
  "024_preserves_mixed_line_endings": "patch_apply_error",
};

const REFUSED_BY_BOTH: Readonly<Record<string, string>> = {
  "005_rejects_empty_patch": "patch_parse_error",
  "006_rejects_missing_context": "patch_apply_error",
  "007_rejects_missing_file_delete": "not_found",
  "008_rejects_empty_update_hunk": "patch_parse_error",
  "009_requires_existing_file_for_update": "not_found",
  "012_delete_directory_fails": "not_found",
  "013_rejects_invalid_hunk_header": "patch_parse_error",
};

describe.skipIf(!present)("apply-patch scenarios", () => {
  const names = present ? readdirSync(folder, { withFileTypes: true }).filter((e) => e.isDirectory()) : [];

  test("all 25 are here", () => expect(names).toHaveLength(25));

  for (const { name } of names) {
    test(name, () => {
      const before = readTree(join(folder, name, "input"));
      const patch = readFileSync(join(folder, name, "patch.txt"), "utf8");
      const refused = REFUSED_BY_OUR_RULE[name] ?? REFUSED_BY_BOTH[name];
      if (refused) {
        expect(() => applied(before, patch)).toThrow(expect.objectContaining({ kind: refused }));
        if (name in REFUSED_BY_BOTH) expect(before).toEqual(readTree(join(folder, name, "expected")));
        return;
      }
      expect(applied(before, patch)).toEqual(readTree(join(folder, name, "expected")));
    });
  }
});

function applied(before: ReadonlyMap<string, string>, patch: string): Map<string, string> {
  const files = new Map(before);
  for (const plan of planPatch(parsePatch(patch), (path) => before.get(path) ?? null)) {
    if (plan.op !== "add") files.delete(plan.path);
    if (plan.op !== "delete") files.set(plan.op === "move" ? plan.toPath : plan.path, plan.newText);
  }
  return files;
}

function readTree(root: string): Map<string, string> {
  if (!existsSync(root)) return new Map();
  const files = readdirSync(root, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return new Map(
    files.map((entry) => {
      const path = join(entry.parentPath, entry.name);
      return [relative(root, path), readFileSync(path, "utf8")];
    }),
  );
}
