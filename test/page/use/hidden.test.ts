// What is hidden from a visitor of the page is in no answer, whichever part of it could tell.
import { type PolicyInput, Workspace } from "stet";
import { memory } from "stet/backends/memory";
import { expect, it } from "vitest";
import { enter, openPage } from "../support.ts";

const waived = { proof: { by: "waived" } } as const;

/** A visitor with a token, who sees what the policy shows. */
async function visitorOf(backend: Workspace["backend"], policy: PolicyInput) {
  const tokens = [{ name: "bob", token: "bob-0123456789abcdef" }];
  const page = await openPage(new Workspace(backend, { policy }), { tokens });
  return enter({ ...page, secret: tokens[0]!.token });
}

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
