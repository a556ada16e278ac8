// Whether a file is binary, by all of its bytes: for those that ripgrep may have left before it came to a NUL.
import type { Path } from "../../../core/backend.ts";
import type { Deadline } from "../../../core/deadline.ts";
import { Refusal } from "../../../core/failure.ts";
import type { Scope } from "../../scope.ts";

export async function isBinary({ session }: Scope, path: Path, deadline: Deadline): Promise<boolean> {
  try {
    const hasNul = nulFinder();
    for await (const chunk of (await session.workspace.backend.stream(path)) ?? []) {
      deadline.check();
      if (hasNul(chunk)) return true;
    }
    return false;
  } catch (error) {
    if (error instanceof Refusal && error.kind !== "timeout" && error.kind !== "cancelled") return false;
    throw error;
  }
}

/** Takes one chunk after the other. In UTF-16 with its mark, a NUL is two bytes. */
function nulFinder(): (chunk: Uint8Array) => boolean {
  let wide: boolean | undefined;
  let carried: number | undefined;
  return (chunk) => {
    wide ??= (chunk[0] === 0xff && chunk[1] === 0xfe) || (chunk[0] === 0xfe && chunk[1] === 0xff);
    if (!wide || chunk.length === 0) return chunk.includes(0);
    let at = 0;
    if (carried !== undefined) {
      if ((carried | chunk[0]!) === 0) return true;
      at = 1;
    }
    for (; at + 1 < chunk.length; at += 2) if ((chunk[at]! | chunk[at + 1]!) === 0) return true;
    carried = at < chunk.length ? chunk[at] : undefined;
    return false;
  };
}
