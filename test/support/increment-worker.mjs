// One of several processes that add 1 to a number in a file, again and again, each time from a version it has just read.
import { openWorkspace, Refusal } from "../../dist/index.js";

const [root, times, durability] = process.argv.slice(2);
const workspace = openWorkspace({ root, durability, limits: { lockMs: 60_000, callMs: 60_000 } });
const session = workspace.session({ agent: `worker ${process.pid}` });
let stale = 0;
for (let done = 0; done < Number(times); ) {
  const { body, sha } = await session.read("counter.txt");
  try {
    await session.write("counter.txt", `${Number(body) + 1}\n`, { expectedSha256: sha });
    done++;
  } catch (error) {
    if (!(error instanceof Refusal) || error.kind !== "stale_file") throw error;
    stale++;
  }
}
await workspace.close();
process.stdout.write(JSON.stringify({ stale }));
