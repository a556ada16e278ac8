// A PostgreSQL server that lives as long as the process that started this: says where it is, does what it is told
// ("stop immediate", "start"), a line each, and is gone with its files when nobody holds the other end any more.
import { createInterface } from "node:readline";
import { startPostgres } from "../../scripts/postgres.mjs";

const server = await startPostgres({ settings: { fsync: "off" } });
const { url, port } = server;
console.log(JSON.stringify({ url, port }));
for await (const line of createInterface({ input: process.stdin })) {
  const [what, ...how] = line.split(" ");
  await server[what](...how);
  console.log(line);
}
await server.remove();
