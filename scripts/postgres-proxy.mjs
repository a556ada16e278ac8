// Between stet and the database: cuts connections, before or behind what is sent, lets them fall silent, or leads to another server from now on.
import { connect, createServer } from "node:net";

const COMMIT = Buffer.from("commit\0");
const LATE_MS = 300;

export async function startDatabaseProxy(port) {
  const open = new Set();
  let target = port;
  let next;
  let cuts = 0;
  let isDown = false;
  let isMute = false;
  let restMs = 0;
  /** Those that carry nothing any more, in either direction, and tell neither end. */
  const hushed = new WeakSet();

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
        if (!hushed.has(one)) other.destroy();
      });
    }
    if (isMute) hush(client, database);
    database.on("data", (bytes) => {
      if (hushed.has(database)) return;
      client.write(bytes);
      rest(database);
    });
    client.on("data", (bytes) => {
      if (hushed.has(client)) return;
      rest(client);
      if (next === undefined || next.left === 0 || !bytes.includes(COMMIT)) return database.write(bytes);
      next.left--;
      cuts++;
      if (next.cut === "silent behind") database.write(bytes);
      if (next.cut.startsWith("silent")) return hush(client, database);
      if (next.cut === "before") return isDown ? cutAll() : database.destroy();
      client.removeAllListeners("close");
      client.destroy();
      open.delete(client);
      if (isDown) for (const each of open) if (each !== database) each.destroy();
      database.removeAllListeners("data");
      if (next.cut === "late") setTimeout(() => database.end(bytes), LATE_MS);
      else database.end(bytes);
    });
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port: own } = server.address();
  function rest(socket) {
    if (restMs === 0) return;
    socket.pause();
    setTimeout(() => socket.resume(), restMs);
  }
  function hush(...those) {
    for (const each of those) hushed.add(each);
  }
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
    /** All that are open now fall silent; new ones too, when it is `ever`. */
    hush(ever = false) {
      isMute = ever;
      hush(...open);
    },
    /** After each piece of up to 64 KiB nothing is carried for so long. */
    slowly(ms) {
      restMs = ms;
    },
    /** New ones are heard again. */
    speak() {
      isMute = false;
    },
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
