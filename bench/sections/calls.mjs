// Time of single calls, all tools beside each other.
import { measureCalls } from "../speed/calls.mjs";
import { section } from "./section.mjs";

await section((quick) => measureCalls({ quick }));
