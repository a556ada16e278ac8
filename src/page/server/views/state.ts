// The state of the workspaces: the size and the end of their history, their trash, and what an examination finds.
import type { Backend } from "../../../core/backend.ts";
import { ifRefused, Refusal } from "../../../core/failure.ts";
import { newestEntry } from "../../../kernel/history/journal.ts";
import { listTrash } from "../../../kernel/history/trash.ts";
import type { Lookup } from "../../../serve/workspaces/lookup.ts";
import type { NamedWorkspace } from "../../../serve/workspaces/named.ts";
import type { HealthLine, StateAnswer, TrashAnswer, TrashLine, WorkspaceState } from "../../wire.ts";
import { LINK } from "../access/door.ts";
import { mayChange, seesAll } from "../access/roles.ts";
import { type Fields, textIn } from "../request.ts";
import { type Room, type Visit, workspaceOf } from "../visit.ts";

export async function state({ room, fields, visitor, who }: Visit): Promise<StateAnswer> {
  const { options, lookup } = room;
  const { served, missing } = lookup === undefined ? { served: options.served } : await named(room, lookup, fields);
  const workspaces = await Promise.all(served.map(stateOf));
  return {
    version: options.version,
    person: visitor.name,
    mayChange: mayChange(visitor) && options.readOnly !== true && workspaces.some(({ readOnly }) => !readOnly),
    workspaces,
    names: lookup && (lookup.names ?? []),
    missing,
    mayLeave: who === LINK ? undefined : true,
  };
}

/** Workspaces that are found by name are not listed. */
async function named(
  room: Room,
  { only }: Lookup,
  fields: Fields,
): Promise<{ readonly served: readonly NamedWorkspace[]; readonly missing?: string }> {
  const name = textIn(fields, "w");
  if (name === undefined && only === undefined) return { served: [] };
  try {
    return { served: await room.chosen(name) };
  } catch (error) {
    if (error instanceof Refusal && error.kind === "not_found") return { served: [], missing: error.message };
    throw error;
  }
}

async function stateOf({ name, workspace: { backend, policy } }: NamedWorkspace): Promise<WorkspaceState> {
  const about = { w: name, root: backend.directory ?? backend.name, readOnly: policy.readOnly };
  try {
    const weight = await weightOf(backend);
    return { ...about, head: await headOf(backend), bytes: weight?.bytes, versions: weight?.versions };
  } catch (error) {
    if (error instanceof Refusal) return { ...about, unused: error.message };
    throw error;
  }
}

type Weighing = ReturnType<NonNullable<Backend["weigh"]>>;
const weighed = new WeakMap<Backend, { readonly at: number; readonly weight: Weighing }>();
const WEIGHED_MS = 10_000;

/** Weighing looks at every version, so pages that ask within a few seconds share one result. */
function weightOf(backend: Backend): Weighing {
  const known = weighed.get(backend);
  if (known !== undefined && performance.now() - known.at < WEIGHED_MS) return known.weight;
  const weight = backend.weigh?.() ?? Promise.resolve(null);
  weighed.set(backend, { at: performance.now(), weight });
  weight.catch(() => weighed.delete(backend));
  return weight;
}

export async function headOf(backend: Backend): Promise<WorkspaceState["head"]> {
  const found = (await backend.tail?.("now")) ?? (await newestEntry(backend));
  return found === undefined || found.seq === 0 ? undefined : { seq: found.seq, hash: found.hash };
}

/** The number of the newest entry, or 0; undefined where the journal cannot be read. */
export function newestSeq(backend: Backend): Promise<number | undefined> {
  return headOf(backend).then((head) => head?.seq ?? 0, ifRefused(undefined));
}

const MAX_FINDINGS = 500;

/** Findings are about this machine, so only those who see all get them. */
export async function health({
  room: { options },
  visitor,
}: Visit): Promise<{ readonly findings: readonly HealthLine[] }> {
  const findings: HealthLine[] = [];
  for await (const finding of (seesAll(visitor) && options.health?.()) || []) {
    findings.push(finding);
    if (findings.length >= MAX_FINDINGS) break;
  }
  return { findings };
}

const MAX_TRASHED = 500;

/** Leaves out what the policy does not let agents read, for the owner too. */
export async function trash(visit: Visit): Promise<TrashAnswer> {
  const workspace = await workspaceOf(visit);
  const items: TrashLine[] = [];
  for await (const { id, path, size, deletedAt, agent, tool } of listTrash(workspace, { signal: visit.signal })) {
    if (items.length >= MAX_TRASHED) return { items, more: true };
    items.push({ id, path, size, deletedAt, tool, agent });
  }
  return { items, more: false };
}
