// Only four pieces of work run apart at once; the others get their turn in the order of coming, or leave the line.
import { expect, it } from "vitest";
import { startDeadline } from "../../src/core/deadline.ts";
import { inTurn } from "../../src/kernel/apart/apart.ts";

const LONG = 60_000;

/** Work that goes on until it is told to end. */
function held(ms = LONG, signal?: AbortSignal) {
  let finish = () => {};
  let begun = false;
  const ended = inTurn(startDeadline(ms, signal), async () => {
    begun = true;
    await new Promise<void>((resolve) => {
      finish = resolve;
    });
  });
  return { ended, finish: () => finish(), begun: () => begun };
}

const turn = () => new Promise<void>((resolve) => setTimeout(resolve, 2));
const begun = (works: readonly ReturnType<typeof held>[]) => works.map((work) => work.begun());

/** All four places are free again. */
async function isFree(): Promise<void> {
  const works = Array.from({ length: 5 }, () => held());
  await turn();
  expect(begun(works)).toEqual([true, true, true, true, false]);
  for (const { finish } of works.slice(0, 4)) finish();
  await turn();
  works[4]!.finish();
  await Promise.all(works.map(({ ended }) => ended));
}

it("lets the next one in when one is done, in order, and the places stay as many", async () => {
  const working = Array.from({ length: 4 }, () => held());
  const line = Array.from({ length: 2 }, () => held());
  await turn();
  expect(begun([...working, ...line])).toEqual([true, true, true, true, false, false]);
  working[1]!.finish();
  await turn();
  expect(begun(line)).toEqual([true, false]);
  for (const { finish } of [...working, line[0]!]) finish();
  await turn();
  line[1]!.finish();
  await Promise.all([...working, ...line].map(({ ended }) => ended));
  await isFree();
});

it("one that is cancelled or out of time leaves the line, and work that fails gives its place back", async () => {
  const working = Array.from({ length: 4 }, () => held());
  const control = new AbortController();
  const [cancelled, late, patient] = [held(LONG, control.signal), held(10), held()];
  await turn();
  control.abort();
  await expect(cancelled.ended).rejects.toMatchObject({ kind: "cancelled" });
  await expect(late.ended).rejects.toMatchObject({ kind: "timeout" });
  await expect(held(LONG, control.signal).ended).rejects.toMatchObject({ kind: "cancelled" });
  working[0]!.finish();
  await turn();
  expect(begun([cancelled, late, patient])).toEqual([false, false, true]);
  for (const { finish } of [...working, patient]) finish();
  await Promise.all([...working, patient].map(({ ended }) => ended));
  const failing = Array.from({ length: 6 }, () => inTurn(startDeadline(LONG), () => Promise.reject(new Error("no"))));
  for (const each of failing) await expect(each).rejects.toThrow("no");
  await isFree();
});

it("one that is cancelled at the very moment of its turn gives it to the next", async () => {
  const working = Array.from({ length: 4 }, () => held());
  const control = new AbortController();
  const [cancelled, next] = [held(LONG, control.signal), held()];
  await turn();
  control.abort();
  working[0]!.finish();
  await expect(cancelled.ended).rejects.toMatchObject({ kind: "cancelled" });
  await turn();
  expect(begun([cancelled, next])).toEqual([false, true]);
  for (const { finish } of [...working, next]) finish();
  await Promise.all([...working, next].map(({ ended }) => ended));
  await isFree();
});
