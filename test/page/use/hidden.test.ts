// What the page does not show: what is hidden from its visitor, or was purged, is in no answer, whichever part of it could tell.
import { type PolicyInput, purge, Workspace } from "stet";
import { memory } from "stet/backends/memory";
import { expect, it } from "vitest";
import { memoryWorkspace } from "../../support/workspace.ts";
import { enter, openPage } from "../support.ts";

const waived = { proof: { by: "waived" } } as const;
const refused = { session: "s", tool: "t", outcome: "refused", changes: [], error: "old_text_not_found" } as const;

/** A visitor with a token, who sees what the policy shows. */
async function visitorOf(backend: Workspace["backend"], policy: PolicyInput) {
  const tokens = [{ name: "bob", token: "bob-0123456789abcdef" }];
  const page = await openPage(new Workspace(backend, { policy }), { tokens });
  return enter({ ...page, secret: tokens[0]!.token });
}

it("words about a file that is hidden are in no part of an answer, also where others are named beside it", async () => {
  const backend = memory();
  const told = "The file says: a secret";
  for (const paths of [["open.txt", "secret.txt"], ["secret.txt"], ["open.txt"], []])
    await backend.record({ ...refused, details: { paths, files: paths, told } });
  const owner = await enter(await openPage(new Workspace(backend)));
  const visitor = await visitorOf(backend, { deniedPaths: ["secret.txt"] });
  const seen = (who: typeof owner) =>
    Promise.all(
      [1, 2, 3, 4].map(async (seq) => JSON.stringify(await who.json("entry", { w: "work", seq })).split(told)),
    );
  const parts = async (who: typeof owner) => (await seen(who)).map(({ length }) => length - 1);
  expect([await parts(owner), await parts(visitor)]).toEqual([
    [1, 1, 1, 1],
    // which files the last one is about is not known
    [0, 0, 1, 0],
  ]);
  expect(JSON.stringify(await visitor.json("timeline"))).not.toContain(told);
});

it("what a purged file held is in no entry, neither as a diff nor in words", async () => {
  const workspace = memoryWorkspace({ "a.txt": "password\n", "b.txt": "b\n" });
  const agent = workspace.session({ agent: "codex" });
  await agent.write("a.txt", "other\n", waived);
  await agent.write("b.txt", "other\n", waived);
  for (const path of ["a.txt", "b.txt"])
    await workspace.backend.record({ ...refused, details: { files: [path], told: "The file says: password" } });
  const inside = await enter(await openPage(workspace));
  const views = ["entry?seq=1", "diff?seq=1&path=a.txt", "entry?seq=3", "entry?seq=4"];
  const tells = () =>
    Promise.all(
      views.map(async (view) => (await (await inside.get(`/page/api/${view}&w=work`)).text()).includes("password")),
    );
  expect(await tells()).toEqual([true, true, true, true]);
  await agent.delete("a.txt", waived);
  await purge(agent, "a.txt");
  expect(await tells()).toEqual([false, false, false, true]);
  expect((await inside.json("entry", { w: "work", seq: 1 })).files[0].diff).toEqual({ left: "purged" });
  expect((await inside.json("entry", { w: "work", seq: 2 })).files[0].diff.text).toContain("-b\n+other\n");
});

it("what came from a hidden name stays hidden under its new one: in the entry, its diff and the sum", async () => {
  const backend = memory({ files: { "secret.txt": "a secret\n" } });
  const agent = new Workspace(backend).session({ agent: "codex" });
  await agent.move("secret.txt", "open.txt", waived);
  const visitor = await visitorOf(backend, { deniedPaths: ["secret.txt"] });
  const [entry] = (await visitor.json("entry", { w: "work", seq: 1 })).files;
  expect(entry).toMatchObject({ path: "open.txt", movedFrom: "secret.txt", diff: { left: "hidden by the policy" } });
  expect(await visitor.json("diff", { w: "work", seq: 1, path: "open.txt" })).toMatchObject({ diff: entry.diff });
  const [sum] = (await visitor.json("net", { w: "work", agent: "codex" })).files;
  expect(sum).toMatchObject({ path: "open.txt", movedFrom: "secret.txt", diff: { left: "hidden by the policy" } });
});
