// stet ui: a link that works, on a port by chance, for what happens in a directory.
import { userInfo } from "node:os";
import { expect, it } from "vitest";
import { stet } from "../../support/cli.ts";
import { directoryWith, workspaceIn } from "../../support/workspace.ts";
import { enter } from "../support.ts";

it("stet ui prints a link that works, follows the journal of the directory, and ends when told to", async () => {
  const root = directoryWith({ "a.txt": "a\n" });
  const ending = new AbortController();
  let seen: (line: string) => void = () => {};
  const line = new Promise<string>((resolve) => {
    seen = resolve;
  });
  const ran = stet(["ui", root, "--port", "0", "--json"], { cwd: root, signal: ending.signal, onOut: seen });
  const { page, url, roots } = JSON.parse(await line);
  expect(roots).toMatchObject([{ path: root }]);
  const inside = await enter({ url, secret: page.split("#secret=")[1] });
  const { workspaces, person } = await inside.json("state");
  expect([workspaces[0].root, person]).toEqual([root, userInfo().username]);
  const { findings } = await inside.json("health");
  expect(findings.some(({ what }: { what: string }) => what === root)).toBe(true);
  const other = workspaceIn(root);
  await other.session({ agent: "codex" }).write("a.txt", "b\n", { proof: { by: "waived" } });
  await other.close();
  expect((await inside.json("timeline")).entries).toMatchObject([{ agent: "codex", paths: ["a.txt"] }]);
  ending.abort();
  expect((await ran).code).toBe(0);
});

it("stet ui takes a port by chance, unless one is named", async () => {
  const root = directoryWith({ "a.txt": "a\n" });
  const ports: number[] = [];
  for (let n = 0; n < 3; n++) {
    const ending = new AbortController();
    await stet(["ui", root, "--json"], {
      cwd: root,
      signal: ending.signal,
      onOut: (line) => {
        ports.push(JSON.parse(line).port);
        ending.abort();
      },
    });
  }
  expect(ports).toHaveLength(3);
  expect(new Set(ports).size).toBeGreaterThan(1);
});
