// Names that could move a cursor, reorder the text around them or begin a line are never printed raw, by any surface.
import { describe, expect, it } from "vitest";
import { Workspace } from "../../src/kernel/workspace.ts";
import { call } from "../../src/surfaces/call.ts";
import { BACKENDS } from "../support/workspace.ts";
import { DIALECTS } from "./001-004-desks.ts";
import { expectFollowable } from "./001-004-followable.ts";

const TEXT = "first line\nsecond line\nsecond line\n";
const NAMES = [
  ["right to left", "evil\u202Etxt"],
  ["a bell", "evil\u0007txt"],
  ["a line break", "evil\nWarning: txt"],
] as const;
/** Only a disk may have got control characters from elsewhere; the store of `files` takes what its own tool writes. */
const CASES = DIALECTS.flatMap(([surface, dialect]) =>
  BACKENDS.flatMap(([backend, make]) => NAMES.map(([what, name]) => ({ surface, dialect, backend, make, what, name }))),
).filter(({ surface, backend, what }) => backend === "disk" || (surface !== "files" && what === "right to left"));

describe.each(CASES)("$surface on $backend, a name with $what", ({ dialect, make, name }) => {
  function open() {
    const given = {
      [name]: TEXT,
      [`${name}.bin`]: Uint8Array.from([0, 1, 2]),
      [`${name}.big`]: "x\n".repeat(600),
      [`${name}.d/x`]: TEXT,
      [`denied/${name}`]: TEXT,
    };
    const policy = { maxFileBytes: 1000, deniedPaths: ["denied/*"] };
    const workspace = new Workspace(make(given), { policy });
    const surface = dialect.surface(workspace.backend.directory);
    const session = workspace.session();
    const use = async ([tool, input]: readonly [string, Readonly<Record<string, unknown>>]) => {
      const result = await call(session, surface, tool, input);
      const words = result.ok ? (result.warnings ?? []) : [result.error.message, result.error.suggestedAction ?? ""];
      for (const each of [result.text, ...words]) {
        expect(each).not.toContain(name);
        expect(each).not.toMatch(/\u202E|\u0007|^Warning: txt/m);
      }
      if (!result.ok) expectFollowable(surface, tool, result.error);
      return result;
    };
    return { use };
  }

  it("is not printed raw by a refusal", async () => {
    const { use } = open();
    const { read, write, edit } = dialect;
    const refused = [
      ...[`no ${name}`, `${name}.d`, `denied/${name}`, `../${name}`, `${name}\0`, `${name}/x`].map((path) =>
        read(path),
      ),
      ...[`${name}.d`, `denied/${name}`, `../${name}`, `${name}/x`, `new ${name}\u0000`].map((path) =>
        write(path, "x\n"),
      ),
      ...[`no ${name}`, `${name}.bin`, `${name}.d`, `denied/${name}`, `../${name}`, `${name}.big`].map((path) =>
        edit(path, "first line", "x"),
      ),
      write(`big ${name}`, "x\n".repeat(600)),
    ];
    for (const made of refused) expect(await use(made), JSON.stringify(made)).toMatchObject({ ok: false });
    await use(read(`${name}.bin`));
    await use(write(name, "x\n"));
    await use(edit(name, "second line", "x"));
    await use(read(name));
    expect(await use(edit(name, "no such line", "x"))).toMatchObject({ ok: false });
    expect(await use(edit(name, "second line", "x"))).toMatchObject({ ok: false });
  });

  it("is not printed raw by a result or a warning", async () => {
    const { use } = open();
    const { read, write, edit } = dialect;
    expect(await use(read(name, 1))).toMatchObject({ ok: true });
    expect(await use(write(name, "x y\nfirst line\n"))).toMatchObject({ ok: true, warnings: [expect.any(String)] });
    expect(await use(edit(name, "first line", "1st line"))).toMatchObject({ ok: true });
    await use(read(name, 1));
    await use(read(`${name}.big`, 1));
  });
});

describe.each(BACKENDS.filter(([backend]) => backend === "disk"))("names found on %s", (_name, make) => {
  it.each(["tracked", "compact"])("%s: Glob and Grep find and print them escaped", async (which) => {
    const { surface } = DIALECTS.find(([name]) => name === which)![1];
    const session = new Workspace(make({ "a\nb.txt": "needle\n", "d\ne/c.txt": "needle\n" })).session();
    for (const [tool, input] of [
      ["Glob", { pattern: "**/*.txt" }],
      ["Glob", { pattern: "**" }],
      ["Grep", { pattern: "needle" }],
      ["Grep", { pattern: "needle", glob: "*.txt", output_mode: "files_with_matches" }],
    ] as const) {
      const { text } = await call(session, surface(undefined), tool, input);
      expect(text, JSON.stringify(input)).toContain("a\\u{a}b.txt");
      expect(text).toContain("d\\u{a}e/c.txt");
      expect(text).not.toMatch(/^b\.txt|^e\//m);
    }
  });
});
