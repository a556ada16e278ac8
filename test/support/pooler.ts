// A pooler as small as can be: many clients share one connection to the database, which is handed on after each transaction.
import { connect, createServer, type Socket } from "node:net";

export interface Pooler {
  readonly url: string;
  close(): void;
}

/** For a database that asks for no password. */
export async function startPooler(port: number): Promise<Pooler> {
  const database = connect(port, "127.0.0.1");
  const clients = new Set<Socket>();
  const waiting: { readonly client: Socket; readonly bytes: Buffer }[] = [];
  let owner: Socket | undefined;
  let greeting: Buffer | undefined;
  const greeted: Socket[] = [];
  let unread = Buffer.alloc(0);
  let unanswered = 0;

  function next(): void {
    const first = waiting.findIndex(({ client }) => owner === undefined || client === owner);
    if (first === -1) return;
    const [{ client, bytes }] = waiting.splice(first, 1) as [(typeof waiting)[number]];
    owner = client;
    unanswered += questionsIn(bytes);
    database.write(bytes);
    next();
  }

  database.write(startup("stet", "postgres"));
  database.on("error", () => {});
  database.on("data", (bytes) => {
    unread = Buffer.concat([unread, bytes]);
    let end = 0;
    let isFree = false;
    while (unread.length >= end + 5 && unread.length >= end + 1 + unread.readInt32BE(end + 1)) {
      const length = 1 + unread.readInt32BE(end + 1);
      const isReady = unread[end] === READY;
      if (isReady && unanswered > 0) unanswered--;
      // in no transaction, and nothing more on its way
      isFree = isReady && unread[end + 5] === 0x49 && unanswered === 0;
      end += length;
    }
    const whole = unread.subarray(0, end);
    unread = unread.subarray(end);
    if (greeting === undefined) {
      greeting = Buffer.from(whole);
      for (const client of greeted.splice(0)) client.write(greeting);
      return;
    }
    owner?.write(whole);
    if (!isFree) return;
    owner = undefined;
    next();
  });

  const server = createServer((client) => {
    clients.add(client);
    client.on("error", () => {});
    client.once("data", () => {
      if (greeting === undefined) greeted.push(client);
      else client.write(greeting);
      client.on("data", (bytes) => {
        if (bytes[0] === 0x58) return void client.end();
        waiting.push({ client, bytes });
        next();
      });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port: own } = server.address() as { port: number };
  return {
    url: `postgres://stet@127.0.0.1:${own}/postgres`,
    close() {
      for (const each of [database, ...clients]) each.destroy();
      server.close();
    },
  };
}

const READY = 0x5a;
const [QUERY, SYNC] = [0x51, 0x53];

/** Of whole messages: each of these is answered by one that says "ready". */
function questionsIn(bytes: Buffer): number {
  let count = 0;
  for (let at = 0; at + 5 <= bytes.length; at += 1 + bytes.readInt32BE(at + 1)) {
    if (bytes[at] === QUERY || bytes[at] === SYNC) count++;
  }
  return count;
}

function startup(user: string, database: string): Buffer {
  const body = Buffer.from(`\0\x03\0\0user\0${user}\0database\0${database}\0\0`, "latin1");
  const length = Buffer.alloc(4);
  length.writeInt32BE(body.length + 4);
  return Buffer.concat([length, body]);
}
