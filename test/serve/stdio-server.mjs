// Serves a directory over stdio, as a host would start it: node stdio-server.mjs ROOT [SURFACE]
import { openWorkspace } from "../../dist/index.js";
import { serveOnStdio } from "../../dist/serve/index.js";
import { surfaceNamed } from "../../dist/surfaces/index.js";

const [root, surface = "tracked"] = process.argv.slice(2);
const workspace = openWorkspace({ root, durability: "fast" });
serveOnStdio({ surface: surfaceNamed(surface), served: [{ name: "w", workspace }], version: "0.0.1" });
