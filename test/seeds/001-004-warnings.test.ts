// What every surface says in its warnings, and what a stale refusal carries, whatever its dialect.
import { linkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { BACKENDS } from "../support/workspace.ts";
import { DIALECTS, desk } from "./001-004-desks.ts";

const TEXT = "first line\nsecond line\nthird line\nfourth line\n";
const CHANGED = `a new beginning\n${TEXT}`;
const REBASE = { strict: true, onStale: "rebase" };
const CASES = DIALECTS.flatMap(([name, dialect]) =>
  BACKENDS.map(([backend, make]) => ({ name, dialect, backend, make })),
);
const ON_DISK = CASES.filter(({ backend }) => backend === "disk");

describe.each(CASES)("$name on $backend", ({ name, dialect, make }) => {
  it("a whole overwrite after a partial read names the lines that were never shown; strict refuses it", async () => {
    const { read, use } = await desk(make, dialect, { "a.txt": TEXT });
    await read("a.txt", 1);
    expect(await use(dialect.write("a.txt", "x\n"))).toMatchObject({
      ok: true,
      warnings: ["a.txt was overwritten as a whole although its lines 2-4 were never shown to this session."],
    });
    const strict = await desk(make, dialect, { "a.txt": TEXT }, { strict: true });
    await strict.read("a.txt", 1);
    expect(await strict.use(dialect.write("a.txt", "x\n"))).toMatchObject({
      ok: false,
      error: { kind: "unseen_content", details: { neverShown: [{ from: 2, to: 4 }] } },
    });
  });

  it("an overwrite of what was read as a whole needs no warning", async () => {
    const { read, use } = await desk(make, dialect, { "a.txt": TEXT });
    await read("a.txt");
    expect(await use(dialect.write("a.txt", "x\n"))).not.toHaveProperty("warnings");
  });

  it("an overwrite of a file that changed since it was read is said", async () => {
    const { read, theyWrite, use } = await desk(make, dialect, { "a.txt": TEXT });
    await read("a.txt");
    await theyWrite("a.txt", CHANGED);
    const { warnings = [] } = (await use(dialect.write("a.txt", "x\n"))) as { warnings?: string[] };
    expect(warnings.join("\n")).toMatch(/a\.txt (?:had|has) changed since/);
  });

  it("an edit of a file that changed since it was read is applied where it still fits, and said", async () => {
    // Anchors are refused then, unless they may be followed.
    const { read, theyWrite, use } = await desk(make, dialect, { "a.txt": TEXT }, { onStale: "rebase" });
    await read("a.txt");
    await theyWrite("a.txt", CHANGED);
    const result = await use(dialect.edit("a.txt", "third line", "3rd"));
    expect(result).toMatchObject({ ok: true, warnings: [expect.stringMatching(/changed since/)] });
  });

  it("an edit that no longer fits is refused with what changed", async () => {
    const { read, theyWrite, use } = await desk(make, dialect, { "a.txt": TEXT });
    await read("a.txt");
    await theyWrite("a.txt", TEXT.replace("third", "3rd"));
    const result = await use(dialect.edit("a.txt", "third line", "x"));
    expect(result).toMatchObject({
      ok: false,
      error: {
        details: {
          currentSha256: expect.any(String),
          diff: expect.stringContaining("-third line\n+3rd line\n"),
          changedBy: { session: "theirs" },
        },
      },
    });
    expect(result.text).toContain("-third line\n+3rd line\n");
    expect(result.text).toMatch(/read (?:the file|it) again/i);
  });

  it.each(["edit", "write"] as const)("strict: a stale %s is refused with the repair", async (verb) => {
    const { read, theyWrite, use } = await desk(make, dialect, { "a.txt": TEXT }, { strict: true });
    await read("a.txt");
    await theyWrite("a.txt", CHANGED);
    const result = await use(
      verb === "edit" ? dialect.edit("a.txt", "third line", "3rd") : dialect.write("a.txt", "x\n"),
    );
    expect(result).toMatchObject({
      ok: false,
      error: { details: { diff: expect.stringContaining("+a new beginning\n") } },
    });
    expect(result.text).toContain("+a new beginning\n");
    expect(result.text).toMatch(/read the file again/i);
  });

  it("a rebase is said", async () => {
    const { read, theyWrite, use } = await desk(make, dialect, { "a.txt": TEXT }, REBASE);
    const shown = (await read("a.txt")) as { data: { file_version?: string } };
    await theyWrite("a.txt", CHANGED);
    const expected_file_version = shown.data.file_version;
    const more = expected_file_version === undefined ? {} : { expected_file_version };
    expect(await use(dialect.write("a.txt", TEXT.replace("fourth", "4th"), more))).toMatchObject({
      ok: true,
      warnings: [expect.stringMatching(/applied to the newer version/)],
    });
    const end = await use(dialect.read("a.txt"));
    expect(end.text).toMatch(/a new beginning[\s\S]*4th line/);
  });

  it("only compact takes text that is not there to the letter, and says so", async () => {
    const { read, use } = await desk(make, dialect, { "a.txt": TEXT });
    await read("a.txt");
    const result = await use(dialect.edit("a.txt", "third   line", "3rd line"));
    if (name === "compact") {
      expect(result).toMatchObject({ ok: true, warnings: [expect.stringContaining("by whitespace_collapse")] });
    } else expect(result.ok).toBe(false);
  });

  it("line endings that a new text does not have are kept, and said", async () => {
    const { read, use } = await desk(make, dialect, { "a.txt": "a\r\nb\nc\r\n" });
    await read("a.txt");
    expect(await use(dialect.write("a.txt", "a\nb\nc\n"))).toMatchObject({
      ok: true,
      warnings: ["a.txt: each line kept its own line ending, CRLF or LF."],
    });
  });

  it("an edit whose text is there twice since the file changed is refused with what changed", async () => {
    const { read, theyWrite, use } = await desk(make, dialect, { "a.txt": TEXT });
    await read("a.txt");
    await theyWrite("a.txt", `${TEXT}third line\n`);
    const result = await use(dialect.edit("a.txt", "third line", "x"));
    if (result.ok) return expect(name).toMatch(/^(files|anchors)$/);
    expect(result).toMatchObject({ error: { details: { diff: expect.stringContaining("+third line\n") } } });
    expect(result.text).toContain("+third line\n");
  });

  it("a byte order mark that a new text brings along is said", async () => {
    const { read, use } = await desk(make, dialect, { "a.txt": TEXT });
    await read("a.txt");
    expect(await use(dialect.write("a.txt", "\uFEFFx\n"))).toMatchObject({
      ok: true,
      warnings: ["a.txt had no byte order mark and has one now."],
    });
  });
});

describe.each(ON_DISK)("$name on disk", ({ dialect, make }) => {
  it.each(["edit", "write"] as const)("%s of a file with another name by hard link is said", async (verb) => {
    const { read, use, workspace } = await desk(make, dialect, { "a.txt": TEXT });
    const root = workspace.backend.directory!;
    linkSync(join(root, "a.txt"), join(root, "b.txt"));
    await read("a.txt");
    const made = verb === "edit" ? dialect.edit("a.txt", "third line", "3rd") : dialect.write("a.txt", "x\n");
    expect(await use(made)).toMatchObject({
      ok: true,
      warnings: ["a.txt: it had 1 other name(s) by hard link, which keep the old content."],
    });
  });
});

describe.each(CASES.filter(({ name }) => name === "compact"))("compact on $backend", ({ dialect, make }) => {
  it("a change of encoding is said", async () => {
    const { read, use } = await desk(make, dialect, { "a.txt": "é\nzwei\n" });
    await read("a.txt");
    expect(await use(dialect.edit("a.txt", "zwei", "zwo", { encoding: "windows-1252" }))).toMatchObject({
      ok: true,
      warnings: ["a.txt reads as utf-8, but was edited as windows-1252, as asked."],
    });
    expect(await use(dialect.write("a.txt", "x\n", { encoding: "utf-16le" }))).toMatchObject({
      ok: true,
      warnings: ["a.txt was utf-8 and is utf-16le now."],
    });
  });
});
