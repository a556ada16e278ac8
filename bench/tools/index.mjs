// The tools under comparison, in the order of the table.
import { peerTools } from "./peer.mjs";
import { stetTools } from "./stet.mjs";
import { storageTools } from "./storage.mjs";

export const tools = [...stetTools, ...peerTools];

/** With those that have a table of their own. */
export const allTools = [...tools, ...storageTools];
