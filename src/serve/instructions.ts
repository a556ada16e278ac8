// The server's instructions for a model: the surface's guidance, what "read" counts for, and the names of the workspaces.
import { inWords } from "../surfaces/call.ts";
import { guidanceOf } from "../surfaces/offer.ts";
import { offeredIn } from "./calls/described.ts";
import { isAlone } from "./workspaces/lookup.ts";
import { canChoose, type ServeOptions } from "./workspaces/named.ts";
import type { SessionScope } from "./workspaces/sessions.ts";

export function instructionsFor(options: ServeOptions, scope: SessionScope): string {
  const { surface, nothing, lookup } = options;
  if (nothing !== undefined) return inWords(nothing.failure, "");
  const workspaces = lookup === undefined ? aboutWorkspaces(options) : isAlone(options) ? "" : BY_NAME;
  const guidance = guidanceOf(surface, offeredIn(options));
  return [guidance, scope.words, workspaces].filter((part) => part !== "").join("\n\n");
}

const BY_NAME =
  "There are several workspaces, which are not listed: every call names the one that you were told of as `workspace`; paths are relative to it.";

function aboutWorkspaces({ surface, served }: ServeOptions): string {
  const names = served.map(({ name }) => JSON.stringify(name)).join(", ");
  if (served.length === 1) return "";
  return served.length === 0
    ? "The workspaces are the directories that your client has open. If there are several, every tool takes `workspace`."
    : `There are ${served.length} workspaces: ${names}. ${choosing({ surface, served })}`;
}

function choosing(offered: Pick<ServeOptions, "surface" | "served">): string {
  if (canChoose(offered))
    return "A call names one as `workspace`, which relative paths are relative to, or has absolute paths, which choose their own.";
  return "Every call names one as `workspace`; paths are relative to it.";
}
