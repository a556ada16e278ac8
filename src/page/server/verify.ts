// Verifies a whole journal and streams the progress, until the page goes away.
import { Refusal } from "../../core/failure.ts";
import type { VerifyTold } from "../wire.ts";
import { CROWDED, openStream, taken } from "./stream.ts";
import { headOf } from "./views/state.ts";
import { type Visit, workspaceOf } from "./visit.ts";

const MAX_PROBLEMS = 100;
const CHECKING = "Journals are already being checked for you. Wait until one is done.";

export async function verify(visit: Visit): Promise<void> {
  const { backend } = await workspaceOf(visit);
  const total = (await headOf(backend))?.seq ?? 0;
  const stream = openStream(visit.response, visit.signal);
  const tell = (told: VerifyTold): void => stream.send("verify", told);
  const crowded = !taken(visit.streams, visit) ? CROWDED : taken(visit.checks, visit) ? undefined : CHECKING;
  if (crowded !== undefined) {
    tell({ entries: 0, total, failed: crowded });
    stream.end();
    return;
  }
  try {
    const progress = (entries: number): void => tell({ entries, total });
    const { ok, entries, head, problems } = await backend.verify({ progress, signal: visit.signal });
    tell({ entries, total: entries, done: { ok, head, problems: problems.slice(0, MAX_PROBLEMS) } });
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    tell({ entries: 0, total, failed: error.message });
  }
  stream.end();
}
