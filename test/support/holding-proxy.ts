// Between stet and the database: holds back what is sent on a connection from a certain statement on.
import { connect, createServer, type Socket } from "node:net";

export interface HoldingProxy {
  readonly url: string;
  /** What holds this text, and all that follows it on its connection, waits until it is let go. */
  holdAt(text: string): { readonly held: Promise<void>; letGo(): void };
  close(): Promise<void>;
}

/** What a database may say at any time: a setting and its value. So one that is held is not taken for one that fell silent. */
const STILL_THERE = Buffer.concat([Buffer.from("S\0\0\0\x16"), Buffer.from("application_name\0\0")]);
const TELL_MS = 100;

export async function startHoldingProxy(port: number): Promise<HoldingProxy> {
  const open = new Set<Socket>();
  let next: { readonly text: string; readonly waiting: (() => void)[]; held(): void; isOver: boolean } | undefined;

  const server = createServer((client) => {
    const database = connect(port, "127.0.0.1");
    let holding: typeof next;
    for (const [one, other] of [
      [client, database],
      [database, client],
    ] as const) {
      open.add(one);
      one.on("error", () => {});
      one.on("close", () => {
        open.delete(one);
        other.destroy();
      });
    }
    let heardAt = 0;
    // only where nothing came lately: not into the middle of an answer
    const telling = setInterval(() => {
      const isHeld = holding !== undefined && !holding.isOver;
      if (isHeld && performance.now() - heardAt > TELL_MS) client.write(STILL_THERE);
    }, TELL_MS);
    client.on("close", () => clearInterval(telling));
    database.on("data", (bytes) => {
      heardAt = performance.now();
      client.write(bytes);
    });
    client.on("data", (bytes) => {
      if (holding === undefined && next !== undefined && bytes.includes(next.text)) {
        holding = next;
        holding.held();
      }
      if (holding === undefined || holding.isOver) database.write(bytes);
      else holding.waiting.push(() => database.write(bytes));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port: own } = server.address() as { port: number };
  return {
    url: `postgres://stet@127.0.0.1:${own}/postgres`,
    holdAt(text) {
      const waiting: (() => void)[] = [];
      const held = new Promise<void>((resolve) => {
        next = { text, waiting, held: resolve, isOver: false };
      });
      const mine = next!;
      return {
        held,
        letGo() {
          mine.isOver = true;
          if (next === mine) next = undefined;
          for (const send of waiting.splice(0)) send();
        },
      };
    },
    async close() {
      for (const each of open) each.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
