// Examines a database: server, durability, standbys, clock, privileges, tables, and the workspace in it.
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
import { Refusal } from "../../core/failure.ts";
import type { PolicyInput } from "../../kernel/policy/policy.ts";
import { plural } from "../../words/plural.ts";
import type { DatabaseRoot } from "../config/database.ts";
import type { WorkspaceInDatabase } from "../config/roots.ts";
import type { Settings } from "../config/settings.ts";
import { openInDatabase } from "../open/workspaces.ts";
import { type Finding, fail, journalFailure, journalFindings, ok, warn } from "./finding.ts";

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
  const findings = [...serverFindings(condition), ...safetyFindings(condition), ...schemaFindings(condition)];
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
    const workspace = await openInDatabase(root, policy, settings.workspace, false);
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

function* serverFindings({ version, versionText, encoding, isHandedOn }: Condition): Generator<Finding> {
  const name = `PostgreSQL ${versionText}`;
  const unfit = unfitEncoding(encoding);
  if (version < OLDEST_VERSION) yield fail("server", name, OLDEST_WORDS);
  else if (unfit !== undefined) yield fail("server", `${name}. ${unfit}`, UTF8_WORDS);
  else if (isHandedOn) yield fail("server", `${name}. ${HANDED_ON}`, KEEP_SESSIONS);
  else if (encoding === "UTF8") yield ok("server", name);
  else yield warn("server", `${name}, and the encoding is ${encoding}`, "It takes any bytes as text. Use UTF8.");
}

function* safetyFindings(found: Condition): Generator<Finding> {
  const { synchronousCommit, fsync, isStandby, standbys, synchronousStandbys, clockMs, clockDoubtMs } = found;
  const loses = synchronousCommit === "off" ? "can lose the last changes that were reported as made" : undefined;
  if (!fsync) yield warn("durability", "fsync is off", "A crash of its machine can lose or damage everything.");
  else if (loses !== undefined) yield warn("durability", "synchronous_commit is off", `A crash ${loses}.`);
  else
    yield ok("durability", `synchronous_commit is ${synchronousCommit}`, "A change that is reported survives a crash.");

  const waits = synchronousStandbys !== "" && ["on", "remote_apply"].includes(synchronousCommit);
  const count = plural(standbys, "standby");
  if (isStandby) yield fail("standby", "this server is a standby", "Nothing can be changed here: name the primary.");
  else if (standbys === 0 && synchronousStandbys === "")
    yield ok("standby", "none", "Backups are all there is after the loss of its disk.");
  else if (waits) yield ok("standby", `${count}, commits wait for ${synchronousStandbys}`, "A failover loses nothing.");
  else {
    const means = "A failover can lose the last changes; stet verify --expected-head finds that.";
    yield warn("standby", `${count}, and commits wait for none`, means);
  }

  const away = `${(Math.abs(clockMs) / 1000).toFixed(1)} s ${clockMs > 0 ? "ahead of" : "behind"} ours`;
  if (Math.abs(clockMs) <= CLOCK_MS + clockDoubtMs) yield ok("clock", "that of the database and ours agree");
  else yield warn("clock", `that of the database is ${away}`, "Entries have the time of the machine that made them.");
}

const CLOCK_MS = 2000;

function* schemaFindings(found: Condition): Generator<Finding> {
  const { role, isPastRowSecurity, missingPrivileges, mayMakeTables, schema, knownSchema } = found;
  if (missingPrivileges.length > 0) {
    const means = "Grant them as the owner of the tables.";
    yield fail("privileges", `${role} lacks ${missingPrivileges.join(", ")}`, means);
  } else if (schema < knownSchema && !mayMakeTables)
    yield fail("privileges", `${role} may not make tables`, "Run stet doctor and a first call as a role that may.");
  else if (isPastRowSecurity) {
    const means = "Run servers as a role of their own, for which it holds.";
    yield warn("privileges", `${role} is a superuser, or past row-level security`, means);
  } else yield ok("privileges", `${role} has what it needs`);

  if (schema === 0) yield ok("tables", "none yet", "The first call of a tool makes them.");
  else if (schema > knownSchema) {
    const means = `This one knows them up to ${knownSchema}: use a newer.`;
    yield fail("tables", `version ${schema}, of a newer stet`, means);
  } else if (schema === knownSchema) yield ok("tables", `version ${schema}`);
  else {
    const means = `The first use makes them version ${knownSchema}; an older stet then refuses.`;
    yield ok("tables", `version ${schema}`, means);
  }
}
