// Writes stet.schema.json from the schema in dist/; run it after a change of src/cli/config/schema.ts and a build.
import { writeFileSync } from "node:fs";
import { configJsonSchema } from "../dist/cli/config/schema.js";

writeFileSync(new URL("../stet.schema.json", import.meta.url), configJsonSchema());
