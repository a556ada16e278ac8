// Two sessions, one file: what a stale proof tells, and how an edit is replayed and undone.
import { editFile, openWorkspace, Refusal, undo } from "stet";
import { replaceEdits } from "stet/edit";

const workspace = openWorkspace({ root: process.argv[2] ?? "." });
const agent = workspace.session({ agent: "agent" });
const other = workspace.session({ agent: "other" });

const { sha } = await agent.read("server.ts");
await other.read("server.ts");
await editFile(other, "server.ts", ({ body }) => exactly(body, "localhost", "0.0.0.0"));

try {
  await editFile(agent, "server.ts", ({ body }) => exactly(body, "3000", "4000"), { expectedSha256: sha });
} catch (error) {
  if (!(error instanceof Refusal)) throw error;
  console.log(error.kind, "-", error.failure.message); // stale_file - … was changed by other …
  console.log(error.failure.details?.diff); // what changed since the agent looked
}

const rebase = { expectedSha256: sha, onStale: "rebase" } as const;
const { entry } = await editFile(agent, "server.ts", ({ body }) => exactly(body, "3000", "4000"), rebase);
await undo(agent, { entry: entry!.seq }); // takes back one change, keeps the other
await workspace.close();

function exactly(body: string, oldText: string, newText: string) {
  return replaceEdits(body, [{ oldText, newText }]).splices; // refuses what is not there, or there twice
}
