// Runs one command where its files are, and speaks of refusals in the words of this dialect.
import { Refusal } from "../../kernel/failure.ts";
import type { ToolContext } from "../tool.ts";
import { remove } from "./delete.ts";
import { edit } from "./edit.ts";
import { ls } from "./ls.ts";
import { type Data, dataOf, type Outcome } from "./outcome.ts";
import type { Params } from "./params.ts";
import { type Place, placeOf } from "./place.ts";
import { read } from "./read.ts";
import type { Settings } from "./settings.ts";
import { inDialect } from "./words.ts";
import { write } from "./write.ts";

export async function runCommand(context: ToolContext, settings: Settings, params: Params): Promise<Data> {
  const place = placeOf(context, settings, params.instance);
  try {
    return dataOf(await execute(place, params), settings.typed);
  } catch (error) {
    throw error instanceof Refusal ? inDialect(error, params, place) : error;
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
