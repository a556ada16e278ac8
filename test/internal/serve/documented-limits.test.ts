// The pages tell the limits of HTTP as they are; no public entry has them.
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { HTTP_LIMITS } from "../../../src/serve/http/options.ts";

const page = (name: string): string => readFileSync(new URL(`../../../docs/${name}`, import.meta.url), "utf8");

it("docs/mcp.md has every limit of HTTP, docs/configuration.md those that can be set", () => {
  const told = [...page("mcp.md").matchAll(/^\| `(\w+)` \| (\d+) \|/gm)].map(([, name, value]) => [
    name!,
    Number(value),
  ]);
  expect(Object.fromEntries(told)).toEqual(HTTP_LIMITS);
  expect(page("configuration.md")).toContain(`${HTTP_LIMITS.callsPerSecond} and ${HTTP_LIMITS.burst} |`);
  expect(page("configuration.md")).toContain(`| largest request body | ${HTTP_LIMITS.bodyBytes} |`);
});
