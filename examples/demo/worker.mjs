// The process that is killed: applies the patch that it is given on stdin, as one commit.
import { text } from "node:stream/consumers";
import { openWorkspace } from "stet";
import { call, workspace as tools } from "stet/surfaces";

const workspace = openWorkspace({ root: process.argv[2] });
const session = workspace.session({ agent: "worker" });
process.stdout.write("ready\n");
const { ok, text: answer } = await call(session, tools, "apply_patch", JSON.parse(await text(process.stdin)), {
  deadlineMs: 120_000,
});
if (!ok) process.stderr.write(`${answer}\n`);
await workspace.close();
