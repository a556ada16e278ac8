// Between stet and the database: cuts connections, before or behind what is sent, or leads to another server from now on.
import { connect, createServer } from "node:net";

const COMMIT = Buffer.from("commit\0");

export async function startDatabaseProxy(port) {
  const open = new Set();
  let target = port;
  let next;
  let cuts = 0;
  let isDown = false;

  const server = createServer((client) => {
    if (isDown) return client.destroy();
    const database = connect(target, "127.0.0.1");
    for (const [one, other] of [
      [client, database],
      [database, client],
    ]) {
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
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port: own } = server.address();
  const cutAll = () => {
    for (const each of open) each.destroy();
  };
  return {
    url: `postgres://stet@127.0.0.1:${own}/postgres`,
    cutAtCommit(cut, times = 1) {
      next = { cut, left: times };
    },
    get cuts() {
      return cuts;
    },
    cutAll,
    down(given) {
      isDown = given;
    },
    leadTo(other) {
      target = other;
      cutAll();
    },
    async close() {
      cutAll();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
