// Only so many searches work at once; the others get their turn in the order in which they came, or leave the line.
import { expect, it } from "vitest";
import { startDeadline } from "../../src/core/deadline.ts";
import { Refusal } from "../../src/core/failure.ts";
import { inTurn, MOST_AT_ONCE } from "../../src/search/searches-at-once.ts";
import { directoryWith } from "../support/workspace.ts";
import { diskSession, placeOf } from "./places.ts";

const LONG = 60_000;

/** Work that goes on until it is told to end. */
function held(ms = LONG, signal?: AbortSignal, tenant?: string) {
  let finish = () => {};
  let begun = false;
  const ended = inTurn({ deadline: startDeadline(ms, signal), signal, tenant }, async () => {
    begun = true;
    await new Promise<void>((resolve) => {
      finish = resolve;
    });
  });
  return { ended, finish: () => finish(), begun: () => begun };
}

async function turn(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
}

it("lets the next one in when one is done, in order", async () => {
  expect(MOST_AT_ONCE).toBeGreaterThanOrEqual(4);
  const working = Array.from({ length: MOST_AT_ONCE }, () => held());
  const line = Array.from({ length: 3 }, () => held());
  await turn();
  expect(working.every(({ begun }) => begun())).toBe(true);
  expect(line.map(({ begun }) => begun())).toEqual([false, false, false]);
  working[2]!.finish();
  await working[2]!.ended;
  await turn();
  expect(line.map(({ begun }) => begun())).toEqual([true, false, false]);
  line[0]!.finish();
  await line[0]!.ended;
  await turn();
  expect(line.map(({ begun }) => begun())).toEqual([true, true, false]);
  for (const { finish } of [...working, line[1]!]) finish();
  await turn();
  line[2]!.finish();
  await Promise.all([...working, ...line].map(({ ended }) => ended));
});

it("whoever is cancelled or out of time leaves the line, and work that fails gives its place back", async () => {
  const working = Array.from({ length: MOST_AT_ONCE }, () => held());
  const control = new AbortController();
  const cancelled = held(LONG, control.signal);
  const late = held(20);
  const patient = held();
  control.abort();
  await expect(cancelled.ended).rejects.toMatchObject({ kind: "cancelled" });
  await expect(late.ended).rejects.toMatchObject({ kind: "timeout", message: /did not get its turn/ });
  await expect(held(LONG, control.signal).ended).rejects.toMatchObject({ kind: "cancelled" });
  expect([cancelled, late, patient].map(({ begun }) => begun())).toEqual([false, false, false]);
  working[0]!.finish();
  await working[0]!.ended;
  await turn();
  expect(patient.begun()).toBe(true);
  for (const { finish } of [...working, patient]) finish();
  await Promise.all([...working, patient].map(({ ended }) => ended));

  const failing = Array.from({ length: 2 * MOST_AT_ONCE }, () =>
    inTurn({ deadline: startDeadline(LONG), signal: undefined, tenant: undefined }, () =>
      Promise.reject(new Refusal("busy", "no")),
    ),
  );
  for (const each of failing) await expect(each).rejects.toThrow("no");
  const all = Array.from({ length: MOST_AT_ONCE }, () => held());
  await turn();
  expect(all.every(({ begun }) => begun())).toBe(true);
  for (const { finish } of all) finish();
});

it("a tenant has as many as it leaves to the others, whatever waits in its line", async () => {
  const ofOne = Array.from({ length: 2 * MOST_AT_ONCE }, () => held(LONG, undefined, "one"));
  await turn();
  const begun = (those: typeof ofOne): number => those.filter((each) => each.begun()).length;
  expect(begun(ofOne)).toBe(MOST_AT_ONCE / 2);
  const ofOther = held(LONG, undefined, "other");
  await turn();
  expect(ofOther.begun()).toBe(true);
  ofOther.finish();
  for (const each of ofOne) {
    await expect.poll(each.begun).toBe(true);
    each.finish();
    await each.ended;
  }
  await ofOther.ended;
});

it.each([["ripgrep"], ["javascript"]] as const)("%s waits for its turn", async (engine) => {
  const place = placeOf(diskSession(directoryWith({ "a.txt": "needle\n" })), engine);
  const working = Array.from({ length: MOST_AT_ONCE }, () => held());
  await expect(place.grep({ pattern: "needle" }, { deadlineMs: 400 })).rejects.toThrow(/did not get its turn/);
  const searching = place.grep({ pattern: "needle" });
  working[0]!.finish();
  expect((await searching).total).toBe(1);
  const many = await Promise.all(Array.from({ length: 20 }, () => place.grep({ pattern: "needle$" })));
  expect(many.map(({ total }) => total)).toEqual(Array(20).fill(1));
  for (const { finish } of working) finish();
});
