// create_directory and move_file.
import * as z from "zod";
import { printable } from "../../../core/printable.ts";
import { refuse } from "../../../words/index.ts";
import { legible } from "../../shared/legible.ts";
import { defineTool } from "../../tool.ts";
import { ALIASES, AS_SEEN, pathField, words } from "../fixed.ts";

export const create_directory = defineTool({
  name: "create_directory",
  title: "Create directory",
  description: "Make a directory and those above it. One that is there already stays as it is.",
  effect: "write",
  additive: true,
  actions: ["create"],
  input: z.object({ path: pathField }),
  aliases: ALIASES,
  ...words,
  refused: "No directory was made.",
  async run({ session, call }, { path }) {
    const { backend } = session.workspace;
    const { path: at, kind } = await session.resolve(path, "create", call);
    const name = printable(path);
    if (kind === "directory") return { content: `Successfully created directory ${name}` };
    if (kind !== "absent") throw refuse("place_taken", { path, isFile: kind === "file" });
    if (backend.makeDirectory === undefined)
      return { content: `${name} comes with the first file that is written in it: only files are kept here.` };
    await backend.makeDirectory(at);
    return { content: `Successfully created directory ${name}` };
  },
});

export const move_file = defineTool({
  name: "move_file",
  title: "Move file",
  description: "Move or rename a file. Fails if the destination exists.",
  effect: "destroy",
  actions: ["move"],
  input: z.object({ source: pathField, destination: z.string().describe("Must not exist") }),
  aliases: { from: "source", path: "source", to: "destination" },
  ...words,
  refused: "Nothing was moved.",
  async run({ session, call, warn }, { source, destination }) {
    const createParents = session.workspace.backend.makeDirectory === undefined;
    const { warnings } = await session.move(source, destination, { ...call, proof: AS_SEEN, createParents });
    warn(...warnings.map((each) => legible(each, source)));
    return { content: `Successfully moved ${printable(source)} to ${printable(destination)}` };
  },
});
