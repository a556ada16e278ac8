// A state that is not used keeps no surface from reading.
import { cpSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { disk } from "../../src/backends/disk/index.ts";
import { Workspace } from "../../src/kernel/workspace.ts";
import { anchors } from "../../src/surfaces/anchors/index.ts";
import { call } from "../../src/surfaces/call.ts";
import { compact } from "../../src/surfaces/compact/index.ts";
import { files } from "../../src/surfaces/files/index.ts";
import { tracked } from "../../src/surfaces/tracked/index.ts";
import { workspace } from "../../src/surfaces/workspace/index.ts";
import { tempDir } from "../support/temp.ts";
import { isForeign, used } from "./trust-support.ts";

describe("in a copy of a project, with its state", () => {
  it.each([
    ["workspace", workspace, "read_file", { path: "a.txt" }],
    ["workspace", workspace, "search_files", { query: "two", mode: "text" }],
    ["tracked", tracked, "Read", { file_path: "a.txt" }],
    ["tracked", tracked, "Grep", { pattern: "two", output_mode: "content" }],
    ["compact", compact, "Read", { file_path: "a.txt" }],
    ["anchors", anchors, "read_file", { path: "a.txt" }],
    ["anchors", anchors, "read_file", { path: "a.txt", hashes: true }],
    ["files", files({ mode: "sandbox" }), "files", { command: "read", path: "a.txt" }],
  ] as const)("%s reads: %#", async (_, surface, tool, input) => {
    const at = await used();
    const root = join(tempDir(), "copy");
    cpSync(at.root, root, { recursive: true });
    const copy = { ...at, root };
    const place = new Workspace(disk(copy));
    const answer = await call(place.session(), surface, tool, input);
    expect(answer.text).toContain("two");
    expect(answer.ok).toBe(true);
    await place.close();
    await isForeign(copy, "is a copy of another state");
  });
});
