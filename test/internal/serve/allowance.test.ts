// What the calls of one owner may hold: the next one waits for room, in order, for as long as something is given back.
import { expect, it } from "vitest";
import { createAllowance } from "../../../src/serve/calls/allowance.ts";

const never = { aborted: false, reason: undefined, addEventListener: () => {}, removeEventListener: () => {} };

it("lets go of a call that is cancelled while it waits", async () => {
  const allowance = createAllowance(100_000, 60_000);
  allowance.count("a", 90_000);
  const controller = new AbortController();
  let ran = false;
  const waiting = allowance.hold("a", { needs: async () => 1, signal: controller.signal }, async () => (ran = true));
  controller.abort();
  await expect(waiting).rejects.toMatchObject({ failure: { kind: "cancelled" } });
  allowance.count("a", -90_000);
  expect(ran).toBe(false);
  expect(await allowance.hold("a", { needs: async () => 1, signal: never }, async () => "next")).toBe("next");
});

it("lets a call in that needs more than there is, as soon as it is the only one", async () => {
  const allowance = createAllowance(100_000, 60_000);
  allowance.count("a", 1);
  let ran = false;
  const large = { needs: async () => 200_000, signal: never };
  const waiting = allowance.hold("a", large, async () => (ran = true));
  await new Promise((resolve) => setImmediate(resolve));
  expect(ran).toBe(false);
  allowance.count("a", -1);
  expect(await waiting).toBe(true);
});

it("counts what is unread and what is worked on together, and what has left as gone", async () => {
  const allowance = createAllowance(200_000, 60_000);
  const ran: string[] = [];
  const call = (name: string, bytes: number) =>
    allowance.hold("a", { needs: async () => bytes, signal: never }, async () => void ran.push(name));
  allowance.count("a", 130_000);
  await call("fits to the byte", 70_000);
  await new Promise((resolve) => setImmediate(resolve));
  await call("fits again, since the first has left", 70_000);
  const waiting = call("a byte too many", 70_001);
  await new Promise((resolve) => setImmediate(resolve));
  expect(ran).toEqual(["fits to the byte", "fits again, since the first has left"]);
  allowance.count("a", -1);
  await waiting;
  expect(ran).toHaveLength(3);
  allowance.count("a", -129_999);
  await new Promise((resolve) => setImmediate(resolve));
  expect(allowance.unread("a")).toBe(0);
});

it("does not begin a call that was cancelled before it came, also where there is room", async () => {
  const allowance = createAllowance(100_000, 60_000);
  allowance.count("a", 1);
  let ran = false;
  const cancelled = { needs: async () => 1, signal: AbortSignal.abort() };
  await expect(allowance.hold("a", cancelled, async () => (ran = true))).rejects.toMatchObject({ kind: "cancelled" });
  expect(ran).toBe(false);
});

it("gives room in the order of coming, and is nobody else's", async () => {
  const allowance = createAllowance(100_000, 60_000);
  allowance.count("a", 99_000);
  const order: number[] = [];
  const weighed = { needs: async () => 70_000, signal: never };
  const all = [1, 2, 3].map((n) => allowance.hold("a", weighed, async () => void order.push(n)));
  await allowance.hold("b", weighed, async () => void order.push(0));
  allowance.count("a", -99_000);
  await Promise.all(all);
  expect(order).toEqual([0, 1, 2, 3]);
});
