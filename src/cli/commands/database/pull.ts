// stet pull: a workspace in a database becomes a directory, with all of its history.
import { stateHome } from "../../../backends/disk/home.ts";
import { receiveDirectory } from "../../../backends/disk/receive.ts";
import { withWorkspaceInDatabase } from "../../../backends/postgres/transfer.ts";
import { Refusal } from "../../../core/failure.ts";
import { absolute } from "../../config/paths.ts";
import type { Command } from "../../options/command.ts";
import { expectPositionals } from "../../options/usage.ts";
import { MOVE_ABOUT, MOVE_OPTIONS, placeNamed, tellCopied, transferAll } from "../../transfer/place.ts";

export const pull: Command = {
  name: "pull",
  summary: "Copy a workspace with its whole history out of a database",
  usage: "pull postgres://…/WORKSPACE DIR [--no-history]",
  options: MOVE_OPTIONS,
  about: MOVE_ABOUT,
  examples: ["stet pull postgres://stet@localhost/stet/acme/web ./web"],
  notes: [
    "DIR must be new or empty. It gets its name when all of it is there; a pull that was cut short leaves nothing that",
    "counts, and the same command starts anew. The workspace in the database stays as it is.",
  ],
  async run(terminal, given) {
    expectPositionals(pull, given, ["postgres://…/WORKSPACE", "DIR"]);
    const [source = "", dir = ""] = given.positionals;
    const place = placeNamed(terminal, source);
    const history = given.values["no-history"] !== true;
    const path = absolute(terminal.cwd, dir, terminal.env);
    const home = history ? stateHome(terminal.env) : null;
    if (home === undefined)
      throw new Refusal("unsupported", "There is no place for the history: this user has no home directory.", {
        next: "Set STET_STATE to a directory of this user, or pull with --no-history.",
      });
    return withWorkspaceInDatabase(place, history, async (workspace) => {
      const done = await receiveDirectory(path, home, (receiver) => transferAll(terminal, workspace, receiver));
      return tellCopied(terminal, given, { from: place.shown, to: path, done });
    });
  },
};
