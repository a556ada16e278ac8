// Details of a change are weighed with their names: a name can be as long as any text.
import { describe, expect, it } from "vitest";
import { checkNote } from "../../src/kernel/change/authored.ts";
import { createFile } from "../../src/kernel/verbs.ts";
import { all, refuses } from "../../src/testing/assertions.ts";
import { memoryWorkspace } from "../support/workspace.ts";

const MIB = 1024 * 1024;

describe("details", () => {
  it("with one name of 17 MiB are refused, and nothing is changed", async () => {
    const workspace = memoryWorkspace({});
    const details = { deep: [{ ["n".repeat(17 * MIB)]: 1 }] };
    const { failure } = await refuses("invalid_input", () =>
      createFile(workspace.session(), "new.txt", "new\n", { details }),
    );
    expect(failure.message).toContain("details is larger than");
    expect(await all(workspace.log())).toEqual([]);
    await workspace.close();
  });

  it("with many names that together come to 17 MiB are refused", () => {
    const details = Object.fromEntries(Array.from({ length: 17 }, (_, n) => [`${n}`.padEnd(MIB, "n"), 1]));
    expect(() => checkNote({ details })).toThrow("details is larger than");
  });

  it("with one name of 15 MiB are not", () => {
    expect(() => checkNote({ details: { ["n".repeat(15 * MIB)]: 1 } })).not.toThrow();
  });
});
