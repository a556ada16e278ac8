// What all four surfaces without a sha256 promise: warnings, what a stale refusal carries, and names that cannot disturb the text.
import { linkSync } from "node:fs";
import { join } from "node:path";
import { compact, surfaceNamed } from "stet/surfaces";
import { describe, expect, it } from "vitest";
import { agentOnDisk, agentWith } from "../support/agent.ts";
import { expectFollowable } from "../support/followable.ts";
import { agentOf, DIALECTS } from "./dialects.ts";

const TEXT = "first line\nsecond line\nthird line\nfourth line\n";
const CHANGED = `a new beginning\n${TEXT}`;
const GIVEN = { "a.txt": TEXT };

describe.each(DIALECTS)("%s: what a change says", (name, dialect) => {
  const read = dialect.read("a.txt");
  const write = dialect.write("a.txt", "x\n");

  it("a whole overwrite after a partial read names the lines that were never shown; strict refuses it", async () => {
    const { done } = agentOf(dialect, GIVEN);
    await done(...dialect.read("a.txt", 1));
    expect((await done(...write)).warnings).toEqual([
      "a.txt was overwritten as a whole although its lines 2-4 were never shown to this session.",
    ]);
    const strict = agentOf(dialect, GIVEN, { strict: true });
    await strict.done(...dialect.read("a.txt", 1));
    expect(await strict.refused(...write)).toMatchObject({
      kind: "unseen_content",
      details: { neverShown: [{ from: 2, to: 4 }] },
    });
  });

  it("an overwrite of what was read as a whole needs no warning", async () => {
    const { done } = agentOf(dialect, GIVEN);
    await done(...read);
    expect((await done(...write)).warnings).toEqual([]);
  });

  it("an overwrite of a file that changed since it was read is said", async () => {
    const { done, theyWrite } = agentOf(dialect, GIVEN);
    await done(...read);
    await theyWrite("a.txt", CHANGED);
    expect((await done(...write)).warnings.join("\n")).toMatch(/a\.txt (?:had|has) changed since/);
  });

  // Anchors are refused then.
  it.skipIf(name === "anchors")("an edit of a file that changed is applied where it still fits, and said", async () => {
    const { done, theyWrite } = agentOf(dialect, GIVEN);
    await done(...read);
    await theyWrite("a.txt", CHANGED);
    const { warnings } = await done(...dialect.edit("a.txt", "third line", "3rd"));
    expect(warnings).toEqual([expect.stringMatching(/changed since/)]);
  });

  it("an edit that no longer fits is refused with what changed", async () => {
    const { done, refused, theyWrite } = agentOf(dialect, GIVEN);
    await done(...read);
    await theyWrite("a.txt", TEXT.replace("third", "3rd"));
    const failure = await refused(...dialect.edit("a.txt", "third line", "x"));
    expect(failure.details).toMatchObject({
      currentSha256: expect.any(String),
      diff: expect.stringContaining("-third line\n+3rd line\n"),
      changedBy: { session: "theirs" },
    });
    expect(failure.text).toContain("-third line\n+3rd line\n");
    expect(failure.text).toMatch(/read (?:the file|it) again/i);
  });

  it("strict: a stale edit or write is refused with the repair", async () => {
    for (const call of [dialect.edit("a.txt", "third line", "3rd"), write]) {
      const { done, refused, theyWrite } = agentOf(dialect, GIVEN, { strict: true });
      await done(...read);
      await theyWrite("a.txt", CHANGED);
      const { text, details } = await refused(...call);
      expect([text, details.diff]).toEqual(Array(2).fill(expect.stringContaining("+a new beginning\n")));
      expect(text).toMatch(/read the file again/i);
    }
  });

  it("a rebase is said", async () => {
    const { done, theyWrite, content } = agentOf(dialect, GIVEN, { strict: true, onStale: "rebase" });
    await done(...read);
    await theyWrite("a.txt", CHANGED);
    const { warnings } = await done(...dialect.write("a.txt", TEXT.replace("fourth", "4th")));
    expect(warnings).toEqual([expect.stringMatching(/applied to the newer version/)]);
    expect(await content("a.txt")).toBe(CHANGED.replace("fourth", "4th"));
  });

  it("only compact takes text that is not there to the letter, and says so", async () => {
    const { call, done } = agentOf(dialect, GIVEN);
    await done(...read);
    const result = await call(...dialect.edit("a.txt", "third   line", "3rd line"));
    if (name === "compact") {
      expect(result).toMatchObject({ ok: true, warnings: [expect.stringContaining("by whitespace_collapse")] });
    } else expect(result.ok).toBe(false);
  });

  it("an edit whose text is there twice since the file changed is refused with what changed", async () => {
    const { call, done, theyWrite } = agentOf(dialect, GIVEN);
    await done(...read);
    await theyWrite("a.txt", `${TEXT}third line\n`);
    const result = await call(...dialect.edit("a.txt", "third line", "x"));
    expect(result.ok).toBe(false);
    expect(result).toMatchObject({ error: { details: { diff: expect.stringContaining("+third line\n") } } });
  });

  it("another name of the file by hard link is said", async () => {
    const { done, root } = agentOnDisk(dialect.surface, GIVEN);
    for (const call of [dialect.edit("a.txt", "third line", "3rd"), write]) {
      linkSync(join(root, "a.txt"), join(root, `${call[0]} ${call[1].command}`));
      await done(...read);
      expect((await done(...call)).warnings).toEqual([
        "a.txt: it had 1 other name(s) by hard link, which keep the old content.",
      ]);
    }
  });
});

it("compact: a change of encoding is said", async () => {
  const { done } = agentWith(compact, { "a.txt": "é\nzwei\n" });
  await done("Read", { file_path: "a.txt" });
  expect((await done("Write", { file_path: "a.txt", content: "x\n", encoding: "utf-16le" })).warnings).toEqual([
    "a.txt was utf-8 and is utf-16le now.",
  ]);
});

describe.each(DIALECTS)(
  "%s: a name that moves a cursor, reorders the text around it or begins a line",
  (_name, dialect) => {
    const name = "evil\u202E\u0007\nWarning: txt";
    const { read, write, edit, surface } = dialect;

    function open() {
      const text = "first line\nsecond line\nsecond line\n";
      const given = {
        [name]: text,
        [`${name}.bin`]: Uint8Array.from([0, 1, 2]),
        [`${name}.big`]: "x\n".repeat(600),
        [`${name}.d/x`]: text,
        [`denied/${name}`]: text,
      };
      const { call } = agentOnDisk(surface, given, { policy: { maxFileBytes: 1000, deniedPaths: ["denied/*"] } });
      return async ([tool, input]: ReturnType<typeof read>) => {
        const result = await call(tool, input);
        const words = result.ok ? (result.warnings ?? []) : [result.error.message, result.error.suggestedAction ?? ""];
        for (const each of [result.text, ...words]) expect(each).not.toMatch(/\u202E|\u0007|^Warning: txt/m);
        if (!result.ok) expectFollowable(surface, tool, result.error);
        return result;
      };
    }

    it("is not printed raw by a refusal", async () => {
      const use = open();
      const paths = [`no ${name}`, `${name}.d`, `denied/${name}`, `../${name}`, `${name}\0`, `${name}/x`];
      for (const made of [
        ...paths.map((path) => read(path)),
        ...paths.slice(1).map((path) => write(path, "x\n")),
        ...[...paths.slice(0, 4), `${name}.bin`, `${name}.big`].map((path) => edit(path, "first line", "x")),
        write(`big ${name}`, "x\n".repeat(600)),
      ])
        expect(await use(made), JSON.stringify(made)).toMatchObject({ ok: false });
      await use(read(`${name}.bin`));
      await use(edit(name, "second line", "x"));
      await use(read(name));
      expect(await use(edit(name, "no such line", "x"))).toMatchObject({ ok: false });
      expect(await use(edit(name, "second line", "x"))).toMatchObject({ ok: false });
    });

    it("is not printed raw by a result or a warning", async () => {
      const use = open();
      expect(await use(read(name, 1))).toMatchObject({ ok: true });
      expect(await use(write(name, "x y\nfirst line\n"))).toMatchObject({ ok: true, warnings: [expect.any(String)] });
      expect(await use(edit(name, "first line", "1st line"))).toMatchObject({ ok: true });
      await use(read(`${name}.big`, 1));
    });
  },
);

it.each(["tracked", "compact"])("%s: Glob and Grep find such names and print them escaped", async (which) => {
  const { done } = agentOnDisk(surfaceNamed(which), { "a\nb.txt": "needle\n", "d\ne/c.txt": "needle\n" });
  for (const [tool, input] of [
    ["Glob", { pattern: "**" }],
    ["Grep", { pattern: "needle" }],
    ["Grep", { pattern: "needle", glob: "*.txt", output_mode: "files_with_matches" }],
  ] as const) {
    const { text } = await done(tool, input);
    expect(text, JSON.stringify(input)).toContain("a\\u{a}b.txt");
    expect(text).toContain("d\\u{a}e/c.txt");
    expect(text).not.toMatch(/^b\.txt|^e\//m);
  }
});
