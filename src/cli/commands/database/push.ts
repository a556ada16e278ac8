// stet push: a directory becomes a workspace in a database, with all of its history.
import { withDirectory } from "../../../backends/disk/transfer.ts";
import { receiveInDatabase } from "../../../backends/postgres/transfer.ts";
import { settingsOf } from "../../config/settings.ts";
import { flagsOf, OPEN_ABOUT, OPEN_OPTIONS, onlyRoot, openRoot, tellNotes } from "../../open/workspaces.ts";
import type { Command } from "../../options/command.ts";
import { sessionOfPerson } from "../../options/person.ts";
import { expectPositionals, UsageError } from "../../options/usage.ts";
import { MOVE_ABOUT, MOVE_OPTIONS, placeNamed, tellCopied, transferAll } from "../../transfer/place.ts";

export const push: Command = {
  name: "push",
  summary: "Copy a directory with its whole history into a database",
  usage: "push DIR postgres://…/WORKSPACE [--no-history]",
  options: { config: OPEN_OPTIONS.config, ...MOVE_OPTIONS },
  about: { config: OPEN_ABOUT.config, ...MOVE_ABOUT },
  examples: [
    "stet push . postgres://stet@localhost/stet/acme/web",
    "stet push . postgres://stet@localhost/stet/acme/web --no-history",
  ],
  notes: [
    "The directory stays as it is. Files that the policy denies reading are not copied. All of it arrives or nothing:",
    "after a push that was cut short, run the same command again.",
  ],
  async run(terminal, given) {
    expectPositionals(push, given, ["DIR", "postgres://…/WORKSPACE"]);
    const [dir = "", target = ""] = given.positionals;
    const place = placeNamed(terminal, target);
    const history = given.values["no-history"] !== true;
    const settings = await settingsOf(terminal, flagsOf(given, [dir]));
    tellNotes(terminal, settings);
    const root = onlyRoot(settings);
    if (root.database !== undefined)
      throw new UsageError("stet push moves a directory.", "stet pull moves a workspace out of a database.");
    const workspace = openRoot({ ...root, further: false }, settings);
    const { backend, policy } = workspace;
    const author = sessionOfPerson(workspace, terminal).author({ tool: "stet push" });
    try {
      return await withDirectory(
        backend,
        { history, files: true, mayRead: (path) => policy.allows(path, "read"), author },
        async (source) => {
          const done = await receiveInDatabase(place, (receiver) => transferAll(terminal, source, receiver));
          return tellCopied(terminal, given, { from: root.path, to: place.shown, done, left: source.left });
        },
      );
    } finally {
      await workspace.close();
    }
  },
};
