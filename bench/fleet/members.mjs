// Starting the servers of a fleet, telling them what to do, and ending them.
import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";

const MEMBER = fileURLToPath(new URL("member.mjs", import.meta.url));

/**
 * @typedef {{
 *   ask(order: string, given?: object): Promise<any>,
 *   hear(listener: (said: any) => void): void,
 *   kill(): Promise<void>,
 *   end(): Promise<void>,
 * }} Member
 */

/** @param {string} where a database, or a directory @returns {Promise<Member>} */
export async function startMember(where) {
  const child = fork(MEMBER, [where], { execArgv: ["--expose-gc"] });
  /** @type {Map<number, { resolve: (done: any) => void, reject: (error: Error) => void }>} */
  const asked = new Map();
  /** @type {((said: any) => void)[]} */
  const listeners = [];
  let last = 0;
  const ended = new Promise((resolve) => child.once("exit", resolve));
  await new Promise((resolve, reject) => {
    child.once("exit", (code) => reject(new Error(`a server ended with ${code} before it was ready`)));
    child.on("message", (/** @type {any} */ said) => {
      if (said.ready) resolve(undefined);
      const waiting = asked.get(said.id);
      asked.delete(said.id);
      if (waiting === undefined) for (const each of listeners) each(said);
      else if ("failed" in said) waiting.reject(new Error(said.failed, { cause: said.text }));
      else waiting.resolve(said.done);
    });
  });
  ended.then(() => {
    for (const { reject } of asked.values()) reject(new Error("ended"));
  });
  return {
    ask(order, given = {}) {
      const id = ++last;
      return new Promise((resolve, reject) => {
        asked.set(id, { resolve, reject });
        child.send({ id, order, given });
      });
    },
    hear: (listener) => listeners.push(listener),
    async kill() {
      child.kill("SIGKILL");
      await ended;
    },
    async end() {
      if (child.connected) child.disconnect();
      await ended;
    },
  };
}

/** @param {string} where @param {number} count @param {(members: Member[]) => Promise<void>} work */
export async function withMembers(where, count, work) {
  const members = await Promise.all(Array.from({ length: count }, () => startMember(where)));
  try {
    await work(members);
  } finally {
    await Promise.all(members.map((member) => member.end()));
  }
}

/** In parallel, one after the other if there are more. @template T, R @param {readonly T[]} all @param {(each: T, n: number) => Promise<R>} work */
export function together(all, work) {
  return Promise.all(all.map(work));
}
