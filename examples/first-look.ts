// Two sessions, one file: what a stale proof tells, and how an edit is replayed and undone.
import { openWorkspace } from "stet";
import { bind, workspace as surface } from "stet/surfaces";

const workspace = openWorkspace({ root: process.argv[2] ?? "." });
const agent = workspace.session({ agent: "agent" });
const mine = bind(surface, agent);
const theirs = bind(surface, workspace.session({ agent: "other" }));
const path = "server.ts";

const { sha256 } = (await mine.read_file({ path })).data;
await theirs.edit_file({ path, expectedSha256: sha256, edits: [{ oldText: "localhost", newText: "0.0.0.0" }] });

const edit = { path, expectedSha256: sha256, edits: [{ oldText: "3000", newText: "4000" }] };
const refused = await mine.edit_file(edit);
console.log(refused.text); // Edit rejected … It was changed by other … What changed since the version you saw: …

const rebased = await mine.edit_file({ ...edit, onStale: "rebase" });
console.log(rebased.text); // Edited server.ts … your edit was applied to the newer version.

await agent.undo({ session: agent.id }); // takes back what this agent did, keeps what the other did
await workspace.close();
