// Nothing from the state, from file names or from files reaches a terminal that it would obey, in words, as JSON or in colour.
import { describe, expect, it } from "vitest";
import type { Ran } from "../support/cli.ts";
import { workspaceIn } from "../support/workspace.ts";
import { type Desk, deskWith, rewrite } from "./history-support.ts";

/** Colours nobody here paints with, a title, C1, both directions, invisible characters of all kinds, line ends. */
const IN_A_LINE =
  "\u001b[35;7m\u001b]0;t\u0007\u0090\u009b2J\u202e\u2066\u061c\u200b\u200d\u2060\ufeff\u00ad\u{e0041}\b\u007f\r\u2028\u2029";
const HOSTILE = `x${IN_A_LINE}\nFAKE line`;
/** File names can have all but these. */
const NAME = HOSTILE.replaceAll("/", "").replaceAll("\0", "");

const DEEP = `dir-${NAME}/${NAME}`;

const OBEYED = /(?![\n\t])\p{Cc}|[\p{Cf}\p{Surrogate}\u2028\u2029]/u;

function expectHarmless({ out, err }: Ran, what: string): void {
  const plain = (out + err).replaceAll(/\u001b\[(?:0|1|2|22|31|32|33|35|36|39)m/g, "");
  expect(OBEYED.exec(plain)?.[0].codePointAt(0)?.toString(16), what).toBe(undefined);
  expect(plain, what).not.toMatch(/^FAKE/m);
}

async function hostileDesk(): Promise<Desk> {
  const desk = deskWith({ [NAME]: "one\n", "a.txt": `first${IN_A_LINE}\n`, [DEEP]: "deep\n" });
  const workspace = workspaceIn(desk.root);
  const session = workspace.session({ id: `s-${HOSTILE}`, agent: `agent ${HOSTILE}` });
  const call = {
    tool: `tool ${HOSTILE}`,
    call: `call ${HOSTILE}`,
    details: { [`key ${HOSTILE}`]: [HOSTILE], t: HOSTILE },
  };
  const { sha } = await session.read(NAME);
  await session.edit(NAME, () => [{ start: 0, end: 3, text: `two${IN_A_LINE}` }], {
    expectedSha256: sha,
    ...call,
  }); // 1
  await rewrite(session, "a.txt", `second${IN_A_LINE}\n`); // 2
  await rewrite(session, DEEP, `deeper${IN_A_LINE}\n`); // 3
  await session.delete(DEEP, call); // 4
  await session.edit(NAME, () => [], { expectedSha256: "0".repeat(64), ...call }).catch(() => undefined); // 5 refused
  await workspace.backend.record({
    ...session.author(call),
    outcome: "note",
    changes: [],
    message: HOSTILE,
    details: { paths: [HOSTILE], opened: HOSTILE },
  }); // 6
  await workspace.close();
  return desk;
}

const COMMANDS: readonly (readonly string[])[] = [
  ["log"],
  ["log", "--limit", "all", "--path", NAME],
  ["log", "--session", HOSTILE],
  ["log", "--agent", HOSTILE],
  ["log", "--session", `s-${HOSTILE}`],
  ...["1", "2", "3", "4", "5", "6", "7"].map((seq) => ["show", seq]),
  ["undo", "1", "--dry-run"],
  ["undo", "3", "--dry-run"],
  ["undo", "--agent", `agent ${HOSTILE}`, "--dry-run"],
  ["undo", "--agent", HOSTILE, "--yes"],
  ["undo", "--session", HOSTILE],
  ["trash", "list"],
  ["trash", "purge", "--all"],
  ["trash", "restore", HOSTILE],
  ["trash", "restore", "4"],
  ["verify"],
  ["gc", "--keep", "1", "--dry-run"],
  ["policy", "explain", NAME],
  ["call", "audit_log", '{"includeDiff":true}'],
  ["call", "audit_log", '{"includeDiff":true}', "--text"],
  ["call", "list_trash", "{}", "--text"],
  ["call", "read_file", JSON.stringify({ path: NAME }), "--text"],
  ["call", "read_file", JSON.stringify({ path: `missing-${NAME}` })],
  ["call", HOSTILE, "{}"],
  ["undo", "2"],
  ["undo", "2"],
  [HOSTILE],
  ["show", HOSTILE],
  ["log", `--x${IN_A_LINE}`],
];

describe("what is printed", () => {
  it.each([
    ["in words", [], false],
    ["as JSON, in colour", ["--json"], true],
    ["in colour", [], true],
  ] as const)("holds nothing that a terminal obeys, whatever the state says: %s", async (_, more, colour) => {
    const desk = await hostileDesk();
    for (const command of COMMANDS) {
      const ran = await desk.run([...command, ...more], { colour });
      expect(ran.code, command.join(" ")).not.toBe(70);
      expectHarmless(ran, command.join(" "));
    }
  });

  it("says what was escaped", async () => {
    const desk = await hostileDesk();
    expect((await desk.run(["show", "1"])).out).toMatch(/who +agent x\\u\{1b\}\[35;7m\\u\{1b\}\]0;t\\u\{7\}\\u\{90\}/);
    expect((await desk.run(["show", "2"])).out).toMatch(/^-first\\u\{1b\}.*\\u\{200d\}\\u\{2060\}.*\\u\{2029\}$/m);
    const [file] = (await desk.run(["show", "3", "--json"])).json().files;
    expect(file.path).toBe(DEEP);
  });

  it("lets joiners stand where a script or an emoji needs them", async () => {
    const desk = deskWith({ "a.txt": "x\n" });
    await desk.as("anna", (session) => rewrite(session, "a.txt", "👩‍🚀 می‌خواهم क्‍ष pass\u200dword\n"));
    expect((await desk.run(["show", "1"])).out).toContain("+👩‍🚀 می‌خواهم क्‍ष pass\\u{200d}word\n");
  });
});
