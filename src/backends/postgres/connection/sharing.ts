// One connection for questions that are under way at the same time: each has to be had, told its scope and given back.
import type { Client } from "./client.ts";

/** Then another one is taken, so that those who wait for a connection have their turn. */
const MOST_USES = 64;

type On = <T>(work: (client: Client) => Promise<T>) => Promise<T>;

interface Shared {
  readonly client: Promise<Client>;
  uses: number;
  users: number;
  failed: unknown;
  over(): void;
}

export function sharing(on: On): On {
  let open: Shared | undefined;

  function opened(): Shared {
    const shared: Shared = {
      uses: 0,
      users: 0,
      failed: undefined,
      over() {},
      client: new Promise((resolve, reject) => {
        on(
          (client) =>
            new Promise<void>((done, broken) => {
              shared.over = () => (shared.failed === undefined ? done() : broken(shared.failed));
              resolve(client);
            }),
        ).catch(reject);
      }),
    };
    return shared;
  }

  return async (work) => {
    open ??= opened();
    const shared = open;
    shared.users += 1;
    shared.uses += 1;
    if (shared.uses >= MOST_USES) open = undefined;
    try {
      return await work(await shared.client);
    } catch (error) {
      shared.failed ??= error;
      throw error;
    } finally {
      shared.users -= 1;
      if (open === shared && (shared.users === 0 || shared.failed !== undefined)) open = undefined;
      if (shared.users === 0) shared.over();
    }
  };
}
