// Runs one command where its files are.
import { Refusal, reworded } from "../../core/failure.ts";
import type { ToolContext } from "../tool.ts";
import { remove } from "./commands/delete.ts";
import { edit } from "./commands/edit.ts";
import { ls } from "./commands/ls.ts";
import { read } from "./commands/read.ts";
import { write } from "./commands/write.ts";
import { type Data, dataOf, type Outcome } from "./outcome.ts";
import { ACTIONS, isReading, type Params } from "./params.ts";
import { type Place, placeOf } from "./place.ts";
import type { Settings } from "./settings.ts";

export async function runCommand(context: ToolContext, settings: Settings, params: Params): Promise<Data> {
  const place = placeOf(context, settings, params);
  try {
    return dataOf(await execute(place, params), settings.typed);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    // A store keeps a journal of its own: nothing of the workspace is attempted.
    if (settings.mode === "sandbox" && "file_path" in params && !isReading(params.command)) {
      const target = { path: params.file_path, action: ACTIONS[params.command] };
      await context.session.recordRefusal(error, [target], place.call);
    }
    throw reworded(error, { facts: { ...error.facts, at: { params, place } } });
  }
}

function execute(place: Place, params: Params): Promise<Outcome> {
  switch (params.command) {
    case "ls":
      return ls(place);
    case "read":
      return read(place, params);
    case "write":
      return write(place, params);
    case "edit":
      return edit(place, params);
    case "delete":
      return remove(place, params);
  }
}
