// The server's instructions for a model: the surface's guidance, what "read" counts for, and the names of the workspaces.
import { inWords } from "../surfaces/call.ts";
import { guidanceOf } from "../surfaces/offer.ts";
import { offeredIn } from "./calls/described.ts";
import { canChoose, type ServeOptions } from "./served/served.ts";
import type { Keying } from "./served/sessions.ts";

export function instructionsFor({ surface, served, nothing }: ServeOptions, keying: Keying): string {
  if (nothing !== undefined) return inWords(nothing.failure, "");
  const names = served.map(({ name }) => JSON.stringify(name)).join(", ");
  const workspaces =
    served.length === 1
      ? ""
      : served.length === 0
        ? "The workspaces are the directories that your client has open. If there are several, every tool takes `workspace`."
        : `There are ${served.length} workspaces: ${names}. ${choosing({ surface, served })}`;
  const guidance = guidanceOf(surface, offeredIn({ surface, served }));
  return [guidance, keying.words, workspaces].filter((part) => part !== "").join("\n\n");
}

function choosing(offered: Pick<ServeOptions, "surface" | "served">): string {
  if (canChoose(offered))
    return "A call names one as `workspace`, which relative paths are relative to, or has absolute paths, which choose their own.";
  return "Every call names one as `workspace`; paths are relative to it.";
}
