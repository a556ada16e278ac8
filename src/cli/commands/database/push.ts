// stet push: a directory becomes a workspace in a database, with all of its history.
import { withDirectory } from "../../../backends/disk/moving/whole.ts";
import { receiveInDatabase } from "../../../backends/postgres/moving/receive.ts";
import { checkLengthsInJournal } from "../../../backends/postgres/paths/length.ts";
import { CHANGING } from "../../../kernel/policy/protected.ts";
import { settingsOf } from "../../config/settings.ts";
import { MOVE_ABOUT, MOVE_OPTIONS, moveAll, placeNamed, requireWhole, tellMoved } from "../../moving/place.ts";
import { flagsOf, OPEN_ABOUT, OPEN_OPTIONS, onlyRoot, openRoot, tellNotes } from "../../open/workspaces.ts";
import type { Command } from "../../options/command.ts";
import { sessionOfPerson } from "../../options/person.ts";
import { expectPositionals, UsageError } from "../../options/usage.ts";

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
    "What the policy denies reading is no file of the workspace, and stays. The directory stays as it is. One that was",
    "cut short is seen nowhere, and the same command goes on where it was.",
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
    const { policy } = workspace;
    const { registerDir, limits } = settings.workspace;
    try {
      return await withDirectory(
        {
          root: root.path,
          history,
          ...(root.stateDir !== undefined && { stateDir: root.stateDir }),
          ...(registerDir !== undefined && { registerDir }),
          ...(limits?.lockMs !== undefined && { lockMs: limits.lockMs }),
          mayRead: (path) => policy.allows(path, "read"),
          mayChange: (path) => CHANGING.some((action) => policy.allows(path, action)),
          author: sessionOfPerson(workspace, terminal).author({ tool: "stet push" }),
        },
        async (whole) => {
          if (history) requireWhole(await whole.verify());
          const words = (): ReturnType<typeof whole.words> => (history ? whole.words() : new Map());
          checkLengthsInJournal(words().keys());
          const done = await receiveInDatabase(place, history, (receiver) =>
            moveAll(terminal, whole, receiver, { history, finish: (head) => receiver.finish(head, words()) }),
          );
          return tellMoved(terminal, given, { from: root.path, to: place.shown, ...done, left: whole.left });
        },
      );
    } finally {
      await workspace.close();
    }
  },
};
