// Following a journal whose backend tells of changes: what it tells is looked at, and it is told when that is over.
import { expect, it } from "vitest";
import { followJournal } from "../../src/kernel/history/journal/follow.ts";
import { newestEntry } from "../../src/kernel/history/journal/newest.ts";
import { memoryWorkspace } from "../support/workspace.ts";

const NOTE = { session: "s", tool: "t", outcome: "note", changes: [] } as const;

/** Each look without a hint comes two seconds after the one before: ten of them take longer than this test may. */
it("a hint is followed at once, and nothing listens any longer when it is over", { timeout: 12_000 }, async () => {
  const { backend } = memoryWorkspace({});
  let hint = (): void => {};
  let listening = 0;
  const told = {
    ...backend,
    watch(changed: () => void) {
      hint = changed;
      listening++;
      return () => void listening--;
    },
  };
  await backend.record(NOTE);
  const start = (await newestEntry(backend))!;
  const ending = new AbortController();
  const following = followJournal(told, start, ending.signal);
  let next = following.next();
  for (let n = 2; n <= 11; n++) {
    await backend.record(NOTE);
    hint();
    expect((await next).value).toMatchObject({ entry: { seq: n }, again: false });
    next = following.next();
  }
  expect(listening).toBe(1);
  ending.abort();
  expect([(await next).done, listening]).toEqual([true, 0]);
});
