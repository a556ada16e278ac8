// The schema that is shipped is the one that configurations are read by.
import { readFileSync } from "node:fs";
import { surfaceNames } from "stet/surfaces";
import { expect, it } from "vitest";
import { configJsonSchema, SURFACE_NAMES } from "../../../src/cli/config/schema.ts";

it("stet.schema.json is current: write it with node scripts/schema.mjs", () => {
  expect(readFileSync(new URL("../../../stet.schema.json", import.meta.url), "utf8")).toBe(configJsonSchema());
  expect(SURFACE_NAMES).toEqual(surfaceNames);
});
