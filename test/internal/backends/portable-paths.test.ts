// The way to pin directories where the system has none of its own: the same answers wherever nobody races. And what only pins show.
import { mkdirSync, realpathSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Refusal } from "stet";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { portable } from "../../../src/backends/disk/paths/pin.ts";
import { openRoot } from "../../../src/backends/disk/paths/root.ts";
import { resolve } from "../../../src/backends/disk/paths/walk.ts";
import { testResolution } from "../../support/resolve-cases.ts";
import { tempDir } from "../../support/temp.ts";
import { kindOfRefusal, PINNINGS, type Playground, playground } from "./disk-playground.ts";

testResolution("with portable pins", (path) => {
  const root = openRoot(path, { pinning: portable });
  return { resolve: async (raw, options) => resolve(root, raw, options), close: async () => root.close() };
});

describe.each(PINNINGS)("the root, %s", (_name, pinning) => {
  let play: Playground;
  beforeEach(() => {
    play = playground();
    play.file("a.txt");
    play.file("$OUT/secret.txt");
  });
  afterEach(() => play.remove());

  it.skipIf(pinning.races !== "closed")("stays the same directory when its name is given to another", () => {
    const root = play.root(pinning);
    renameSync(play.ws, join(play.base, "moved"));
    symlinkSync(play.out, play.ws);
    expect(["secret.txt", "a.txt"].map((raw) => resolve(root, raw).kind)).toEqual(["absent", "file"]);
    rmSync(play.ws);
    mkdirSync(play.ws);
  });

  it("may be /", () => {
    const top = openRoot("/", { pinning });
    const other = join(realpathSync(tempDir()), "x");
    writeFileSync(other, "");
    expect(resolve(top, other).path).toBe(other.slice(1));
    expect(kindOfRefusal(() => resolve(top, ".."))).toBe("outside_workspace");
    top.close();
  });

  it.each([
    ["moved away", () => renameSync(play.ws, join(play.base, "away"))],
    ["deleted", () => rmSync(play.ws, { recursive: true })],
  ])("is noticed to be %s", (_how, befall) => {
    const root = play.root(pinning);
    root.check();
    befall();
    expect(() => root.check()).toThrow(Refusal);
  });
});

it("a root that cannot be opened because too many files are open is refused in words", () => {
  const pinning = {
    ...PINNINGS[0]![1],
    root(): never {
      throw Object.assign(new Error("EMFILE"), { code: "EMFILE", errno: -24 });
    },
  };
  expect(() => openRoot(tempDir(), { pinning })).toThrow(/Could not open the workspace root .*too many files/);
});
