// Every command that is about a directory says so where the state in it is not used.
import { describe, expect, it } from "vitest";
import { stet } from "../support/cli.ts";
import { directoryWith } from "../support/workspace.ts";

const FOREIGN = { "a.txt": "a\n", ".stet/format": "1\n", ".stet/journal/0000000000000001.jsonl": "{}\n" };
const INPUT = '{"path":"a.txt"}';

describe("a state that is not used", () => {
  it.each([
    [["tools"]],
    [["init"]],
    [["install", "--client", "claude-code"]],
    [["install", "--client", "claude-desktop", "--root", "."]],
    [["install", "--client", "vscode", "--scope", "project"]],
    [["call", "read_file", INPUT]],
    [["policy", "explain", "a.txt"]],
    [["log"]],
    [["show", "1"]],
    [["undo", "1"]],
    [["trash", "list"]],
    [["verify"]],
    [["gc", "--keep", "1"]],
    [["doctor"]],
  ])("is told by stet %j, with both ways out", async (args) => {
    const { out, err } = await stet(args, { cwd: directoryWith(FOREIGN) });
    const said = `${out}${err}`;
    expect(said).toMatch(/The state in \S*\.stet is not used/);
    expect(said).toContain("stet adopt takes its history over");
    expect(said).toContain("stet adopt --afresh");
  });

  it("is no matter of a server elsewhere", async () => {
    const args = ["install", "--client", "claude-code", "--http", "http://127.0.0.1:4100/mcp"];
    const { err } = await stet(args, { cwd: directoryWith(FOREIGN) });
    expect(err).not.toContain("is not used");
  });
});
