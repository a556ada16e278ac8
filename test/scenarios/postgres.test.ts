// The stories of this folder, played on PostgreSQL.
import { it } from "vitest";
import { missingPostgres } from "../../scripts/postgres.mjs";
import { playStories } from "./play.ts";

const missing = missingPostgres();
if (missing === undefined) playStories("postgres");
else it.skip(missing, () => {});
