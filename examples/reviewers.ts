// What a reviewer does: the net changes of an agent, one hunk taken back, entries marked as reviewed.
import { markReviewed, netChanges, openWorkspace, reviewedEntries, undoHunk } from "stet";

const workspace = openWorkspace({ root: "/home/me/app" });
const agent = workspace.session({ agent: "codex" });
const person = workspace.session({ agent: "ada" });
const path = "hello.txt";
await agent.read(path);
await agent.write(path, "Hello, moon!\n");
const { entry } = await agent.write(path, "Hello, stars!\n");

const { files } = await netChanges(workspace, { agent: "codex" });
console.log(files.map(({ path, entries }) => [path, entries])); // [ [ 'hello.txt', [ 1, 2 ] ] ]
const what = { entry: entry!.seq, path, hunk: 1 };
const would = await undoHunk(person, what, { dryRun: true });
console.log(would.files[0]!.afterText); // Hello, moon!
await undoHunk(person, what);

await markReviewed(person, [1, 2]);
console.log((await reviewedEntries(workspace.backend)).seqs.has(2)); // true
await person.undo({ entry: 1, path: "hello.txt" });
await workspace.close();
