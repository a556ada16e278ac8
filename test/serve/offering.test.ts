// What is served while the client's roots are being opened, once and again.
import { describe, expect, it } from "vitest";
import { Refusal } from "../../src/core/failure.ts";
import { createOffering } from "../../src/serve/served/offering.ts";
import type { Served } from "../../src/serve/served/served.ts";
import { surfaceNamed } from "../../src/surfaces/index.ts";
import { memoryWorkspace } from "../support/workspace.ts";

const served = (name: string): Served => ({ name, workspace: memoryWorkspace({}) });

function offering() {
  const surface = surfaceNamed("compact")!;
  return createOffering({ surface, served: [served("first")], version: "1" }, () => undefined);
}

function later() {
  let resolve!: (all: readonly Served[]) => void;
  const next = new Promise<readonly Served[]>((done) => {
    resolve = done;
  });
  return { next, resolve };
}

describe("what is served", () => {
  it("is awaited until the last of several that were asked for is open", async () => {
    const { serve, ...offered } = withGetters();
    const [one, two] = [later(), later()];
    const first = serve(one.next);
    const second = serve(two.next);
    one.resolve([served("one")]);
    await first;
    expect(offered.coming()).toBeDefined();
    two.resolve([served("two")]);
    await second;
    expect([offered.coming(), offered.names()]).toEqual([undefined, ["two"]]);
  });

  it("is the last that was asked for, also when it is open before the others", async () => {
    const { serve, names } = withGetters();
    const [one, two] = [later(), later()];
    const both = [serve(one.next), serve(two.next)];
    two.resolve([served("two")]);
    await new Promise((resolve) => setImmediate(resolve));
    one.resolve([served("one")]);
    await Promise.all(both);
    expect(names()).toEqual(["two"]);
  });

  it("is nothing where that was refused, until something is", async () => {
    const { serve, names, nothing } = withGetters();
    const refusal = new Refusal("invalid_input", "No.");
    await serve(Promise.reject(refusal));
    expect([names(), nothing()]).toEqual([[], refusal]);
    await serve(Promise.resolve([served("one")]));
    expect([names(), nothing()]).toEqual([["one"], undefined]);
  });
});

function withGetters() {
  const made = offering();
  return {
    serve: made.serve,
    coming: () => made.coming,
    names: () => made.options.served.map(({ name }) => name),
    nothing: () => made.options.nothing,
  };
}
