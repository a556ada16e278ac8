// A workspace on the backend of own-backend.ts.
import { openWorkspace } from "stet";
import { backendOn, createStore } from "./own-backend.js";

const lines: string[] = [];
const workspace = openWorkspace({ backend: backendOn(createStore(lines)) });
await workspace.session({ agent: "writer" }).create("notes/today.md", "# Today\n", { createParents: true });
for await (const { seq, agent, outcome } of workspace.log()) console.log(seq, agent, outcome); // 1 writer applied
await workspace.close();

console.log((await backendOn(createStore(lines)).verify()).entries); // 1
