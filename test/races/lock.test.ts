// Many processes and one lock: never two holders, nothing lost, whoever is killed and whatever was left behind.
import fs from "node:fs";
import { describe, expect, it } from "vitest";
import { openLock } from "../../src/backends/disk/lock/lock.ts";
import { journalIn } from "../backends/journal-fixture.ts";
import { arena, type Contender, type FlavourName, killed, start, startHolder } from "./lock-processes.ts";

const HEAVY = process.env.STET_HEAVY === "1";
const PROCESSES = HEAVY ? 8 : 3;
const TURNS = HEAVY ? 500 : 40;
const WAITING = HEAVY ? 8 : 3;
const KILLS = HEAVY ? 200 : 3;

const flavours: FlavourName[] = ["flock", "link"];
const counterIn = (dir: string) => Number(fs.readFileSync(`${dir}/counter`, "utf8"));

describe.each(flavours)("the %s lock between processes", (flavour) => {
  it("loses no increment", { timeout: 600_000 }, async () => {
    const dir = arena(flavour);
    const all = Array.from({ length: PROCESSES }, () => start("increment", dir, TURNS));
    expect(await Promise.all(all.map(({ ended }) => ended))).toEqual(all.map(() => "0"));
    expect(counterIn(dir)).toBe(PROCESSES * TURNS);
  });

  it("of a killed holder goes to exactly one of those who wait", { timeout: 600_000 }, async () => {
    const dir = arena(flavour);
    for (let round = 1; round <= (HEAVY ? 20 : 1); round++) {
      const holder = await startHolder(dir);
      const all = Array.from({ length: WAITING }, () => start("increment", dir, 3));
      await killed(holder);
      expect(await Promise.all(all.map(({ ended }) => ended))).toEqual(all.map(() => "0"));
      expect(counterIn(dir)).toBe(3 * WAITING * round);
    }
    const lock = openLock(`${dir}/lock`);
    lock.tryAcquire()?.();
    lock.close();
    expect(fs.readdirSync(`${dir}/lock`).filter((name) => /^(?:owner|dead)-/.test(name))).toEqual([]);
  });

  it(`loses nothing that was reported, over ${KILLS} kills`, { timeout: 1_200_000 }, async () => {
    const dir = arena(flavour);
    let reported = 0;
    let kills = 0;
    const gone: Promise<void>[] = [];
    const collect = async (contender: Contender): Promise<void> => {
      const end = await contender.ended;
      expect(end).toBe("SIGKILL");
      reported += contender.done;
    };
    const running: Contender[] = [];
    while (kills < KILLS) {
      while (running.length < PROCESSES) {
        const contender = start("increment", dir, 1_000_000);
        gone.push(collect(contender));
        running.push(contender);
        await new Promise((resolve) => contender.child.once("message", resolve));
      }
      const [victim] = running.splice(Math.floor(Math.random() * running.length), 1);
      await new Promise((resolve) => victim!.child.once("message", resolve));
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 3));
      victim!.child.kill("SIGKILL");
      kills++;
    }
    for (const { child } of running) child.kill("SIGKILL");
    await Promise.all(gone);
    expect(counterIn(dir)).toBeGreaterThanOrEqual(reported);
    const release = openLock(`${dir}/lock`).tryAcquire();
    expect(release).not.toBeNull();
    release?.();
  });

  it("keeps one journal for all of them", { timeout: 600_000 }, async () => {
    const dir = arena(flavour);
    const all = Array.from({ length: PROCESSES }, () => start("journal", dir, TURNS));
    expect(await Promise.all(all.map(({ ended }) => ended))).toEqual(all.map(() => "0"));
    const journal = journalIn(`${dir}/journal`);
    expect(await journal.verify()).toMatchObject({ ok: true, entries: PROCESSES * TURNS });
    const sessions = [...journal.entries()].map(({ session }) => session);
    expect(new Set(sessions).size).toBe(PROCESSES);
    expect(sessions.filter((session) => session === sessions[0])).toHaveLength(TURNS);
  });
});
