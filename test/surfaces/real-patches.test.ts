// Patches that Codex models made, by apply_patch: only the files that they change are there, and no other directory.
import { existsSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { Workspace } from "../../src/kernel/workspace.ts";
import { call } from "../../src/surfaces/call.ts";
import { workspace } from "../../src/surfaces/workspace/index.ts";
import { textAt } from "../../src/testing/assertions.ts";
import { BACKENDS } from "../support/workspace.ts";

type Files = Readonly<Record<string, string>>;

const recorded = new URL("../../../shared/data/real-edits/codex-patches.jsonl", import.meta.url);
/** Its recorded bytes are damage: lines without context went to the end of the file. */
const DAMAGED = "5627d09e0e";

describe.skipIf(!existsSync(recorded))("real patches (skipped where ../shared/data is absent)", () => {
  it.each(BACKENDS)("all but one give the recorded bytes, on %s", async (_name, make) => {
    const rows = readFileSync(recorded, "utf8").trim().split("\n");
    const known = rows.map((row) => JSON.parse(row)).filter(({ files, after }) => files !== null && after !== null);
    const failed: string[] = [];
    for (const { id, patch, files, after } of known) {
      const place = new Workspace(make(inPlace(files)));
      const text = Object.keys({ ...files, ...after }).reduce((all, path) => all.replaceAll(path, local(path)), patch);
      const result = await call(place.session(), workspace, "apply_patch", { patch: text });
      const texts: Record<string, string | null> = {};
      for (const path of Object.keys(inPlace(after))) texts[path] = await textAt(place.backend, path);
      if (!result.ok || JSON.stringify(texts) !== JSON.stringify(inPlace(after))) failed.push(`${id}: ${result.text}`);
      await place.close();
    }
    expect(known).toHaveLength(54);
    expect(failed).toEqual([expect.stringContaining(DAMAGED)]);
  });
});

/** A workspace takes absolute paths of its own; where these lay, none is here. */
function local(path: string): string {
  const isAbsolute = /^(?:[A-Za-z]:|\/)/.test(path);
  return isAbsolute ? path.split(/[\\/]/).slice(3).join("/") : path;
}

function inPlace(files: Files): Files {
  return Object.fromEntries(Object.entries(files).map(([path, text]) => [local(path), text]));
}
