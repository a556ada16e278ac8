// The tools under comparison, in the order of the table.
import { peerTools } from "./peer.mjs";
import { stetTools } from "./stet.mjs";

export const tools = [...stetTools, ...peerTools];
