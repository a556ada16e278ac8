// The stories of this folder, played on PostgreSQL.
import { it } from "vitest";
import { missingPostgres } from "../../scripts/postgres.mjs";
import { playStories } from "./play.ts";

const missing = missingPostgres();
if (missing === undefined) playStories("postgres");
// Without a server there is nothing to play on: what is missing is the name of the test that is skipped.
else it.skip(missing, () => {});
