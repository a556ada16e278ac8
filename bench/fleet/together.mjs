// Many servers change the same file: every increment counts once, and of two changes from one version one is made.
import { together, withMembers } from "./members.mjs";

/** @param {{ url: string, quick: boolean }} fleet */
export async function counter({ url, quick }) {
  const [servers, times] = quick ? [4, 25] : [8, 500];
  let figure = "";
  let holds = false;
  await withMembers(url, servers, async (members) => {
    const place = { name: "counter", path: "counter.txt" };
    await members[0]?.ask("write", { ...place, text: "0" });
    const begun = performance.now();
    const stale = await together(members, (member) => member.ask("increments", { ...place, times }));
    const seconds = (performance.now() - begun) / 1000;
    const { sum, verified } = await counted(members[0], place);
    const refused = stale.reduce((all, each) => all + each, 0);
    holds = sum === servers * times && verified.ok;
    figure = `${sum} in ${seconds.toFixed(1)} s, ${refused} stale and made again, chain ${verified.ok ? "verifies" : "broken"}`;
  });
  return [
    {
      row: `${servers} servers × ${times} increments of one counter`,
      goal: `${servers * times}, none lost`,
      figure,
      holds,
    },
  ];
}

/** @param {{ url: string, quick: boolean }} fleet */
export async function races({ url, quick }) {
  const times = quick ? 50 : 1000;
  /** @type {Record<string, number>} */
  const outcomes = {};
  await withMembers(url, 2, async (members) => {
    const place = { name: "races", path: "race.txt" };
    let sha = await members[0]?.ask("write", { ...place, text: "begin" });
    for (let n = 0; n < times; n++) {
      const ends = await together(members, (member, who) =>
        member.ask("from", { ...place, sha, text: `${n} by ${who}` }).catch((error) => error.message),
      );
      const outcome = ends.toSorted().join(" + ");
      outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
      sha = await members[n % 2]?.ask("shaAt", place);
    }
  });
  return [
    {
      row: `two servers, ${times} races`,
      goal: "one winner each",
      figure: Object.entries(outcomes)
        .map(([outcome, count]) => `${outcome}: ${count}`)
        .join(", "),
      holds: outcomes["stale_file + won"] === times,
    },
  ];
}

/** @param {import("./members.mjs").Member | undefined} member @param {{ name: string, path: string }} place */
async function counted(member, place) {
  const sum = Number(await member?.ask("textAt", place));
  return { sum, verified: await member?.ask("verify", place) };
}
