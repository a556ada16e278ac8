// A database: its version, what it promises of a commit, standbys, its clock, what its role may do, its tables, and the workspace in it.
import {
  HANDED_ON,
  KEEP_SESSIONS,
  OLDEST_VERSION,
  OLDEST_WORDS,
  UTF8_WORDS,
  unfitEncoding,
} from "../../backends/postgres/connection/server.ts";
import { openPool } from "../../backends/postgres/index.ts";
import { type Condition, conditionOf } from "../../backends/postgres/schema/condition.ts";
import { counted } from "../../core/counted.ts";
import { Refusal } from "../../core/failure.ts";
import type { PolicyInput } from "../../kernel/policy/policy.ts";
import type { DatabaseRoot } from "../config/database-root.ts";
import type { WorkspaceInDatabase } from "../config/roots.ts";
import type { Settings } from "../config/settings.ts";
import { openInDatabase } from "../open/in-database.ts";
import { type Finding, fail, ok, warn } from "./finding.ts";
import { journalFailure, journalFindings } from "./journal.ts";

export async function* examineDatabase(
  root: WorkspaceInDatabase | (Pick<DatabaseRoot, "url" | "shown"> & { readonly workspace: undefined }),
  policy: PolicyInput,
  settings: Settings,
): AsyncGenerator<Finding> {
  const condition = await conditionAt(root.url);
  if (condition instanceof Refusal) {
    const { message, suggestedAction = "Nothing can be read or changed there." } = condition.failure;
    yield fail("database", `${root.shown}: ${message}`, suggestedAction);
    return;
  }
  yield ok("database", root.shown);
  const findings = [server, durability, standbys, clock, privileges, tables].map((look) => look(condition));
  yield* findings;
  if (root.workspace === undefined || findings.some(({ state }) => state === "fail")) return;
  if (condition.schema === 0) yield ok("journal", "there is no workspace yet");
  else yield* workspaceFindings(root, policy, settings);
}

async function conditionAt(url: string): Promise<Condition | Refusal> {
  try {
    const pool = await openPool(url, { connections: 3 });
    try {
      return await conditionOf(pool);
    } finally {
      await pool.end();
    }
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
}

async function* workspaceFindings(
  root: WorkspaceInDatabase,
  policy: PolicyInput,
  settings: Settings,
): AsyncGenerator<Finding> {
  try {
    const workspace = await openInDatabase(root, policy, settings, false);
    try {
      yield* journalFindings(workspace);
    } finally {
      await workspace.close();
    }
  } catch (error) {
    const isMissing = error instanceof Refusal && error.kind === "not_found";
    yield isMissing
      ? warn("journal", error.failure.message, "The first call of a tool makes it.")
      : journalFailure(error);
  }
}

function server({ version, versionText, encoding, isHandedOn }: Condition): Finding {
  const name = `PostgreSQL ${versionText}`;
  if (version < OLDEST_VERSION) return fail("server", name, OLDEST_WORDS);
  const unfit = unfitEncoding(encoding);
  if (unfit !== undefined) return fail("server", `${name}. ${unfit}`, UTF8_WORDS);
  if (isHandedOn) return fail("server", `${name}. ${HANDED_ON}`, KEEP_SESSIONS);
  return encoding === "UTF8"
    ? ok("server", name)
    : warn(
        "server",
        `${name}, and the encoding is ${encoding}`,
        "It takes any bytes as text. Better use a database of UTF8.",
      );
}

function durability({ synchronousCommit, fsync }: Condition): Finding {
  if (!fsync)
    return warn("durability", "fsync is off", "A crash of its machine can lose or damage everything in the database.");
  return synchronousCommit === "off"
    ? warn(
        "durability",
        "synchronous_commit is off",
        "A crash of the database can lose the last changes that were reported as made.",
      )
    : ok("durability", `synchronous_commit is ${synchronousCommit}`, "A change that is reported survives a crash.");
}

function standbys({ isStandby, standbys: count, synchronousStandbys, synchronousCommit }: Condition): Finding {
  if (isStandby) return fail("standby", "this server is a standby", "Nothing can be changed here: name the primary.");
  if (count === 0 && synchronousStandbys === "")
    return ok("standby", "none", "Backups are all there is after the loss of its disk.");
  const waits = synchronousStandbys !== "" && ["on", "remote_apply"].includes(synchronousCommit);
  return waits
    ? ok(
        "standby",
        `${counted(count, "standby")}, commits wait for ${synchronousStandbys}`,
        "A failover loses nothing.",
      )
    : warn(
        "standby",
        `${counted(count, "standby")}, and commits wait for none`,
        "A failover can lose the last changes; stet verify --expected-head finds that.",
      );
}

const CLOCK_MS = 2000;

function clock({ clockMs, clockDoubtMs }: Condition): Finding {
  const seconds = (Math.abs(clockMs) / 1000).toFixed(1);
  if (Math.abs(clockMs) <= CLOCK_MS + clockDoubtMs) return ok("clock", "that of the database and ours agree");
  return warn(
    "clock",
    `that of the database is ${seconds} s ${clockMs > 0 ? "ahead of" : "behind"} ours`,
    "Entries have the time of the machine that made them, and never one before the entry before: set the clocks.",
  );
}

function privileges({
  role,
  isPastRowSecurity,
  missingPrivileges,
  mayMakeTables,
  schema,
  knownSchema,
}: Condition): Finding {
  if (missingPrivileges.length > 0)
    return fail(
      "privileges",
      `${role} lacks ${missingPrivileges.join(", ")}`,
      "Grant them as the owner of the tables.",
    );
  if (schema < knownSchema && !mayMakeTables)
    return fail("privileges", `${role} may not make tables`, "Run stet doctor and a first call as a role that may.");
  return isPastRowSecurity
    ? warn(
        "privileges",
        `${role} is a superuser, or past row-level security`,
        "Run servers as a role of their own, for which it holds.",
      )
    : ok("privileges", `${role} has what it needs`);
}

function tables({ schema, knownSchema }: Condition): Finding {
  if (schema === 0) return ok("tables", "none yet", "The first call of a tool makes them.");
  if (schema > knownSchema)
    return fail(
      "tables",
      `version ${schema}, of a newer stet`,
      `This one knows them up to ${knownSchema}: use a newer.`,
    );
  return schema === knownSchema
    ? ok("tables", `version ${schema}`)
    : ok("tables", `version ${schema}`, `The first use makes them version ${knownSchema}; an older stet then refuses.`);
}
