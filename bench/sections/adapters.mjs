// Agent frameworks: the trust cases through deepagents with stet as its storage, and what an adapter adds to a call.
import { measureAdapters } from "../speed/adapters.mjs";
import { cases, runTrust } from "../trust/run.mjs";
import { section } from "./section.mjs";

const ALL = ["deepagents", "stet in deepagents"];

await section(async (quick) => {
  const reports = [];
  for (const id of ALL) reports.push(...(await runTrust({ scale: quick ? 0.2 : 1, only: [id] })));
  const missed = reports
    .filter(({ stet }) => stet)
    .flatMap(({ tool, rows, skipped }) => [
      ...(skipped === undefined ? [] : [`${tool} could not be run: ${skipped}`]),
      ...rows.filter(({ verdict }) => verdict === "wrong" || verdict === "lost").map((row) => `${tool}: ${row.case}`),
    ]);
  const trust = { cases: cases.map(({ id, title, good }) => ({ id, title, good })), reports, missed };
  return { trust, overhead: await measureAdapters({ quick }), missed };
});
