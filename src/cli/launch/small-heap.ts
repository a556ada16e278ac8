// A server lives long and does little at a time: V8 is told to tidy up sooner rather than to grow.
import type { setFlagsFromString } from "node:v8";

/**
 * Not before compiled code was read or written: V8 takes it only under the flags that it was made under. And `node:v8` itself
 * is loaded no sooner, because it takes a tenth of the start.
 */
export function keepHeapSmall(require: NodeJS.Require): void {
  const v8 = require("node:v8") as { readonly setFlagsFromString: typeof setFlagsFromString };
  // What a call leaves behind is old by the time it is garbage, so the old space is what grows: half, not four times.
  v8.setFlagsFromString("--heap-growing-percent=50");
  v8.setFlagsFromString("--semi-space-growth-factor=1");
}
