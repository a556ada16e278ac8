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
  /** Answers that the database has not given yet. */
  let owed = 0;

  function next(): void {
    const first = waiting.findIndex(({ client }) => owner === undefined || client === owner);
    if (first === -1) return;
    const [{ client, bytes }] = waiting.splice(first, 1) as [(typeof waiting)[number]];
    owner = client;
    if (bytes[0] === QUERY || bytes[0] === SYNC) owed++;
    database.write(bytes);
    next();
  }

  database.write(startup("stet", "postgres"));
  database.on("error", () => {});
  database.on("data", (bytes) => {
    unread = Buffer.concat([unread, bytes]);
    let isFree = false;
    const messages = messagesIn(unread);
    for (const message of messages) {
      if (message[0] !== READY) continue;
      owed--;
      // ready for the next statement, and in no transaction
      isFree = owed === 0 && message[5] === IDLE;
    }
    const whole = Buffer.concat(messages);
    unread = unread.subarray(whole.length);
    if (greeting === undefined) {
      greeting = Buffer.from(whole);
      owed = 0;
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
      let rest = Buffer.alloc(0);
      client.on("data", (given) => {
        rest = Buffer.concat([rest, given]);
        for (const bytes of messagesIn(rest)) {
          rest = rest.subarray(bytes.length);
          if (bytes[0] === GOODBYE) client.end();
          else waiting.push({ client, bytes });
        }
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

const [READY, QUERY, SYNC, GOODBYE, IDLE] = [...Buffer.from("ZQSXI")];

/** Those that are there as a whole: a letter, and a length without it. */
function messagesIn(bytes: Buffer): Buffer[] {
  const all: Buffer[] = [];
  for (let at = 0; bytes.length >= at + 5 && bytes.length >= at + 1 + bytes.readInt32BE(at + 1); ) {
    const end = at + 1 + bytes.readInt32BE(at + 1);
    all.push(bytes.subarray(at, end));
    at = end;
  }
  return all;
}

function startup(user: string, database: string): Buffer {
  const body = Buffer.from(`\0\x03\0\0user\0${user}\0database\0${database}\0\0`, "latin1");
  const length = Buffer.alloc(4);
  length.writeInt32BE(body.length + 4);
  return Buffer.concat([length, body]);
}
