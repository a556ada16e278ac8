// A tool of your own, in a surface of your own.
import { openWorkspace } from "stet";
import { call, defineTool, z } from "stet/surfaces";

const count_lines = defineTool({
  name: "count_lines",
  title: "Count lines",
  description: "How many lines a text file has.",
  effect: "read",
  actions: ["read"],
  input: z.object({ path: z.string() }),
  output: z.object({ lines: z.int() }),
  refused: "Nothing was counted.",
  run: async ({ session, call }, { path }) => ({ lines: (await session.read(path, undefined, call)).lines }),
  text: ({ lines }) => `${lines} lines`,
});
const surface = { name: "counting", title: "Counting", guidance: "", tools: [count_lines] };

const workspace = openWorkspace({ root: "/home/me/app" });
const { text } = await call(workspace.session(), surface, "count_lines", { path: "missing.txt" });
console.log(text); // Nothing was counted. missing.txt does not exist. Check the path; list the directory to see what is there.
await workspace.close();
