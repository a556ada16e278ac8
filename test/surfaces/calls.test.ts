// The tools as typed functions: the words that an editor shows are those of the tools and of their pages, and up to date.
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import type { Bound, Functions } from "../../src/surfaces/bind.ts";
import type { anchors, compact, files, Surface, tracked, workspace } from "../../src/surfaces/index.ts";
import { surfaceNamed, surfaceNames } from "../../src/surfaces/index.ts";

const { callsOf } = (await import("../../scripts/tool-calls.mjs" as string)) as {
  callsOf(surface: Surface, page: string): string;
};
const read = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");

it.each(surfaceNames)("src/surfaces/%s/calls.ts is what scripts/tool-calls.mjs writes (build, then run it)", (name) => {
  expect(read(`src/surfaces/${name}/calls.ts`)).toBe(callsOf(surfaceNamed(name), read(`docs/surfaces/${name}.md`)));
});

type Same<S extends Surface> = [Bound<S>, Functions<S>] extends [Functions<S>, Bound<S>] ? true : false;

it("they take and give what the tools do, as the compiler sees it", () => {
  const same: [
    Same<typeof workspace>,
    Same<typeof tracked>,
    Same<typeof compact>,
    Same<ReturnType<typeof files>>,
    Same<typeof anchors>,
  ] = [true, true, true, true, true];
  expect(same).not.toContain(false);
});
