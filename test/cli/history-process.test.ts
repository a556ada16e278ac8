// The history commands as real processes: following what another process does, Ctrl-C, and a reader that goes away.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { finished } from "../support/processes.ts";
import { directoryWith } from "../support/workspace.ts";
import { deskWith } from "./history-support.ts";

const MAIN = fileURLToPath(new URL("../../dist/bin/stet.cjs", import.meta.url));

function start(cwd: string, args: readonly string[]) {
  const env = { ...process.env, USER: "ada", NO_COLOR: "1" };
  return spawn(process.execPath, [MAIN, ...args], { cwd, env, stdio: ["ignore", "pipe", "pipe"] });
}

describe("history commands as processes", { timeout: 60_000 }, () => {
  it("log --follow shows what another process does, and ends cleanly on SIGINT", async () => {
    const root = directoryWith({});
    const follower = start(root, ["log", "--follow", "--json"]);
    const closed = once(follower, "close");
    let printed = "";
    const seen = new Promise<void>((resolve) => {
      follower.stdout.on("data", (data) => {
        printed += data;
        if (printed.includes("\n")) resolve();
      });
    });
    const called = finished(start(root, ["call", "create_file", '{"path":"a.txt","content":"a"}']));
    expect(JSON.parse(await called)).toMatchObject({ ok: true });
    await seen;
    follower.kill("SIGINT");
    expect(await closed).toEqual([0, null]);
    expect(JSON.parse(printed)).toMatchObject({ seq: 1, agent: "ada", tool: "create_file" });
  });

  it("a reader that goes away is no error", async () => {
    const desk = deskWith({});
    await desk.as("anna", (session) => session.create("a.txt", "a"));
    const log = start(desk.root, ["log", "--follow"]);
    const closed = once(log, "close");
    log.stdout.once("data", () => log.stdout.destroy());
    let err = "";
    log.stderr.on("data", (data) => {
      err += data;
    });
    await once(log.stdout, "close");
    await desk.as("anna", (session) => session.create("b.txt", "b"));
    expect(await closed).toEqual([0, null]);
    expect(err).toBe("");
  });
});
