// What a server tells a model at the start: how to use the tools that are offered, and nothing of the others.
import { describe, expect, it } from "vitest";
import { memory } from "../../src/backends/memory/index.ts";
import type { PolicyInput } from "../../src/kernel/policy/policy.ts";
import { Workspace } from "../../src/kernel/workspace.ts";
import { offeredIn } from "../../src/serve/calls/described.ts";
import { instructionsFor } from "../../src/serve/instructions.ts";
import type { Served } from "../../src/serve/served/served.ts";
import { createSessions } from "../../src/serve/served/sessions.ts";
import { joinSurfaces, surfaceNamed } from "../../src/surfaces/index.ts";

const SURFACES = ["workspace", "tracked", "compact", "files", "anchors"].map((name) => surfaceNamed(name));
const joined = joinSurfaces([surfaceNamed("workspace"), surfaceNamed("tracked")]);

const served = (policy: PolicyInput): Served => ({ name: "w", workspace: new Workspace(memory(), { policy }) });

function told(surface: (typeof SURFACES)[number], ...policies: readonly [PolicyInput, ...PolicyInput[]]) {
  const options = { surface, version: "0", served: policies.map(served) as [Served, ...Served[]] };
  const offered = offeredIn(options).map(({ name }) => name);
  const words = instructionsFor(options, createSessions().forConnection());
  return { words, gone: surface.tools.map(({ name }) => name).filter((name) => !offered.includes(name)) };
}

describe.each([...SURFACES, joined])("$name", (surface) => {
  it.each<PolicyInput>([
    { readOnly: true },
    { allowedActions: ["read"] },
    { allowedActions: ["read", "edit"] },
    { allowedActions: ["read", "create"] },
    { allowedActions: ["read", "delete"] },
  ])("names no tool that %j takes away", (policy) => {
    const { words, gone } = told(surface, policy);
    expect(gone.filter((name) => new RegExp(`\\b${name}\\b`).test(words))).toEqual([]);
    expect(words).toContain("What you have read counts for this connection.");
  });

  it("says all that its guidance says where all is offered", () => {
    expect(told(surface, {}).words.startsWith(surface.guidance)).toBe(true);
  });
});

it("teaches no change where nothing can be changed", () => {
  for (const surface of SURFACES)
    expect(told(surface, { readOnly: true }).words, surface.name).not.toMatch(/\b(?:to change|edit|replace|stale)/i);
});

it("speaks of what one of several workspaces offers", () => {
  expect(told(surfaceNamed("workspace"), { readOnly: true }, {}).words).toContain("restore_file");
});

it("does not say that every path is relative", () => {
  expect(told(surfaceNamed("workspace"), {}).words).toContain("Relative paths start at the workspace root.");
});
