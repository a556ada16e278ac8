// Searches a workspace over and over until it is ended: ROOT, PATH, PATTERN.
import { openWorkspace } from "../../dist/index.js";
import { grep } from "../../dist/search/index.js";

const [root, path, pattern] = process.argv.slice(2);
const session = openWorkspace({ root, policy: { readOnly: true } }).session();
for (;;) await grep(session, { root: path, pattern, limit: 10 }).catch(() => undefined);
