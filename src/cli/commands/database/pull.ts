// stet pull: a workspace in a database becomes a directory, with all of its history.
import { receiveInDirectory } from "../../../backends/disk/moving/receive.ts";
import { registerDirectory } from "../../../backends/disk/trust/register.ts";
import { withWorkspaceInDatabase } from "../../../backends/postgres/moving/whole.ts";
import { absolute } from "../../config/paths.ts";
import { MOVE_ABOUT, MOVE_OPTIONS, moveAll, placeNamed, requireWhole, tellMoved } from "../../moving/place.ts";
import type { Command } from "../../options/command.ts";
import { expectPositionals } from "../../options/usage.ts";

export const pull: Command = {
  name: "pull",
  summary: "Copy a workspace with its whole history out of a database",
  usage: "pull postgres://…/WORKSPACE DIR [--no-history]",
  options: MOVE_OPTIONS,
  about: MOVE_ABOUT,
  examples: ["stet pull postgres://stet@localhost/stet/acme/web ./web"],
  notes: [
    "DIR is not there yet, or empty. It gets its name when all of it is there; the same command goes on with one that",
    "was cut short. The workspace stays as it is.",
  ],
  async run(terminal, given) {
    expectPositionals(pull, given, ["postgres://…/WORKSPACE", "DIR"]);
    const [source = "", dir = ""] = given.positionals;
    const place = placeNamed(terminal, source);
    const history = given.values["no-history"] !== true;
    const path = absolute(terminal.cwd, dir, terminal.env);
    const registerDir = registerDirectory(terminal.env);
    return withWorkspaceInDatabase(place, async (whole) => {
      const receiver = receiveInDirectory(path, { history, ...(registerDir !== undefined && { registerDir }) });
      if (history) requireWhole(await whole.verify());
      const done = await moveAll(terminal, whole, receiver, { history, finish: (head) => receiver.finish(head) });
      return tellMoved(terminal, given, { from: place.shown, to: path, ...done, left: [] });
    });
  },
};
