// The deadline of the call that a tool is in.
import { Deadline } from "../core/deadline.ts";
import type { CallOptions, Session } from "../kernel/session.ts";

export function deadlineOf({ workspace }: Session, { deadline, deadlineMs, signal }: CallOptions): Deadline {
  return deadline ?? new Deadline(deadlineMs ?? workspace.limits.callMs, signal);
}
