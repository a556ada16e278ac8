// The deadline of the call that a tool is in.
import { type Deadline, startDeadline } from "../core/deadline.ts";
import type { CallOptions, Session } from "../kernel/session.ts";

export function deadlineOf({ workspace }: Session, { deadline, deadlineMs, signal }: CallOptions): Deadline {
  return deadline ?? startDeadline(deadlineMs ?? workspace.limits.callMs, signal);
}
