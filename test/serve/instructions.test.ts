// What a server tells a model at the start: how to use the tools that are offered, and nothing of the others.
import type { PolicyInput } from "stet";
import type { NamedWorkspace } from "stet/serve";
import { joinSurfaces, surfaceNamed } from "stet/surfaces";
import { describe, expect, it } from "vitest";
import { memoryWorkspace } from "../support/workspace.ts";
import { connect, modernClient } from "./clients.ts";

const SURFACES = ["workspace", "tracked", "compact", "files", "anchors"].map((name) => surfaceNamed(name));
const joined = joinSurfaces([surfaceNamed("workspace"), surfaceNamed("tracked")]);

const served = (policy: PolicyInput, n: number): NamedWorkspace => ({
  name: `w${n}`,
  workspace: memoryWorkspace({}, { policy }),
});

async function told(surface: (typeof SURFACES)[number], ...policies: readonly [PolicyInput, ...PolicyInput[]]) {
  const options = { surface, version: "0", served: policies.map(served) as [NamedWorkspace, ...NamedWorkspace[]] };
  const client = await connect(modernClient(), options);
  const offered = (await client.listTools()).tools.map(({ name }) => name);
  const words = client.getInstructions()!;
  return { words, gone: surface.tools.map(({ name }) => name).filter((name) => !offered.includes(name)) };
}

describe.each([...SURFACES, joined])("$name", (surface) => {
  it.each<PolicyInput>([
    { readOnly: true },
    { allowedActions: ["read", "edit"] },
    { allowedActions: ["read", "create"] },
    { allowedActions: ["read", "delete"] },
  ])("names no tool that %j takes away", async (policy) => {
    const { words, gone } = await told(surface, policy);
    expect(gone.filter((name) => new RegExp(`\\b${name}\\b`).test(words))).toEqual([]);
    expect(words).toContain("What you have read counts for this connection.");
  });

  it("says all that its guidance says where all is offered", async () => {
    expect((await told(surface, {})).words.startsWith(surface.guidance)).toBe(true);
  });
});

it("teaches no change where nothing can be changed", async () => {
  for (const surface of SURFACES)
    expect((await told(surface, { readOnly: true })).words, surface.name).not.toMatch(
      /\b(?:to change|edit|replace|stale)/i,
    );
});

it("speaks of what one of several workspaces offers", async () => {
  expect((await told(surfaceNamed("workspace"), { readOnly: true }, {})).words).toContain("restore_file");
});

it("does not say that every path is relative", async () => {
  expect((await told(surfaceNamed("workspace"), {})).words).toContain("Relative paths start at the workspace root.");
});
