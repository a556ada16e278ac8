import { disk } from "stet/backends/disk";
import { testResolution } from "../support/resolve-cases.ts";

testResolution("on a disk", (root) => disk({ root, durability: "fast" }));
