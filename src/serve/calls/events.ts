// Reports every call when it is over, for logs and metrics. Has no arguments, and nothing of files but the workspace's name.
import type { CallToolResult } from "@modelcontextprotocol/server";
import type { FailureKind } from "../../core/failure.ts";
import { FAILURE_META_KEY } from "./defects.ts";

/** A call of a tool that is over. */
export interface CallEvent {
  /** As it was called; one that there is not is "(unknown)". */
  readonly tool: string;
  /** From the call to its answer. */
  readonly ms: number;
  /** Whose call it was, where that is known. */
  readonly principal?: string | undefined;
  /** Why it was refused. */
  readonly refused?: FailureKind;
  /** It was answered with an error of the protocol. */
  readonly failed?: true;
}

interface FailureMeta {
  readonly kind?: FailureKind;
  readonly details?: { readonly cause?: FailureKind };
}

export interface CallBegun {
  readonly tool: string;
  readonly owner: string;
}

/** Reports the call when it is over, however it ends. */
export async function reporting(
  onCall: ((event: CallEvent) => void) | undefined,
  { tool, owner }: CallBegun,
  made: () => Promise<CallToolResult>,
): Promise<CallToolResult> {
  if (onCall === undefined) return made();
  const began = performance.now();
  const over = (how: Pick<CallEvent, "refused" | "failed">): void =>
    onCall({ tool, ms: performance.now() - began, principal: owner || undefined, ...how });
  try {
    const result = await made();
    const failure = result._meta?.[FAILURE_META_KEY] as FailureMeta | undefined;
    // a surface with few kinds keeps the one of the kernel as the cause
    over(result.isError === true ? { refused: failure?.details?.cause ?? failure?.kind ?? "unknown" } : {});
    return result;
  } catch (error) {
    over({ failed: true });
    throw error;
  }
}
