// One of several processes: counts up, or changes files to and fro until it is killed.
import { allTools } from "../tools/index.mjs";

const [id, root = "", job, argument = ""] = process.argv.slice(2);
const tool = allTools.find((each) => each.id === id);
if (tool === undefined) throw new Error(`no tool ${id}`);
const agent = await (await tool.load()).open(root);

if (job === "increment") process.stdout.write(`${await countUp(Number(argument))}\n`);
if (job === "toggle") await toggle((from, to) => agent.edit(argument, `state: ${from}`, `state: ${to}`), argument);
if (job === "patch") {
  const paths = argument.split(",");
  await toggle(
    (from, to) => agent.patch?.(paths.map((path) => ({ path, oldText: `state: ${from}`, newText: `state: ${to}` }))),
    String(paths[0]),
  );
}
await agent.close();
process.exit(0);

/** @param {number} times */
async function countUp(times) {
  let done = 0;
  for (let tries = 0; done < times && tries < times * 200; tries++) {
    const text = (await agent.read("counter.txt")).done;
    const count = Number(/count: (\d+)/.exec(text ?? "")?.[1] ?? Number.NaN);
    if (Number.isNaN(count)) continue;
    if ((await agent.edit("counter.txt", `count: ${count};`, `count: ${count + 1};`)).done !== undefined) done++;
  }
  return done;
}

/** @param {(from: string, to: string) => Promise<import("../tools/answer.mjs").Answer> | undefined} change @param {string} path */
async function toggle(change, path) {
  let failures = 0;
  for (let [from, to] = ["A", "B"]; failures < 6; [from, to] = [to, from]) {
    await agent.read(path);
    const answer = await change(from, to);
    if (answer?.done === undefined) failures++;
    else {
      failures = 0;
      process.stdout.write("changed\n");
    }
  }
}
