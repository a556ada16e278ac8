// Between stet and the database: cuts connections, before or behind what is sent.
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/** What happens to the next COMMIT: it never arrives, or it arrives and the answer does not. */
export type Cut = "before" | "behind";

export interface DatabaseProxy {
  readonly url: string;
  cutAtCommit(cut: Cut, times?: number): void;
  /** How many were cut so far. */
  readonly cuts: number;
  cutAll(): void;
  /** While it is down, no connection is accepted. */
  down(isDown: boolean): void;
  close(): Promise<void>;
}

const COMMIT = Buffer.from("commit\0");

export async function startDatabaseProxy(port: number): Promise<DatabaseProxy> {
  const open = new Set<Socket>();
  let next: { cut: Cut; left: number } | undefined;
  let cuts = 0;
  let isDown = false;

  const server = createServer((client) => {
    if (isDown) return client.destroy();
    const database = connect(port, "127.0.0.1");
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
    database.on("data", (bytes) => client.write(bytes));
    client.on("data", (bytes) => {
      if (next === undefined || next.left === 0 || !bytes.includes(COMMIT)) return database.write(bytes);
      next.left--;
      cuts++;
      if (next.cut === "before") return database.destroy();
      client.removeAllListeners("close");
      client.destroy();
      open.delete(client);
      if (isDown) for (const each of open) if (each !== database) each.destroy();
      database.removeAllListeners("data");
      database.end(bytes);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port: own } = server.address() as AddressInfo;
  return {
    url: `postgres://stet@127.0.0.1:${own}/postgres`,
    cutAtCommit(cut, times = 1) {
      next = { cut, left: times };
    },
    get cuts() {
      return cuts;
    },
    cutAll() {
      for (const each of open) each.destroy();
    },
    down(given) {
      isDown = given;
    },
    async close() {
      for (const each of open) each.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
