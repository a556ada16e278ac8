// Clients that tell whether they reach a server: each connects to stet as it is served by default.
import { describe, expect, it } from "vitest";
import { projectFor } from "./conversations.ts";
import { LISTINGS, missing, type Program, required } from "./programs.ts";

/** Codex lists what is configured without connecting. */
const SAYS: Readonly<Record<Program, RegExp>> = {
  claude: /stet.*connected/i,
  codex: /stet.*enabled/i,
  gemini: /stet.*connected/i,
  opencode: /stet.*connected/i,
};

describe.each(Object.keys(SAYS) as Program[])("%s", (program) => {
  const why = missing(program);
  it.skipIf(why === undefined)("can be run here", (context) => {
    if (required) throw new Error(why);
    context.skip(why);
  });

  it.skipIf(why !== undefined)("connects and lists", async () => {
    const { code, out } = await LISTINGS[program](projectFor("workspace"));
    expect([code, out]).toEqual([0, expect.stringMatching(SAYS[program])]);
    expect(out).not.toMatch(/disconnected|failed|disabled/i);
  });
});
