// The figures stet must reach; peers never count here.

/** @typedef {import("./report.mjs").EngineReport} EngineReport */

/** With proof of having seen the bytes more may be taken. */
const shares = [
  { name: "stet", share: 0.91, how: "without proof" },
  { name: "stet-seen", share: 0.96, how: "with proof" },
];

/**
 * Nothing may be wrong in any trials. Shares are demanded of the usual ones only: another set has another mix of classes.
 * @param {readonly EngineReport[]} reports @param {boolean} isDefault @returns {string[]} what was missed
 */
export function missedGates(reports, isDefault) {
  return reports.flatMap(({ name, totals }) => {
    const { correct, wrong, accepted, applicable, threw } = totals;
    const gate = shares.find((each) => each.name === name.split(",")[0]);
    if (gate === undefined) return [];
    return [
      ...must(threw === 0, `${name} threw ${threw} times`),
      ...must(wrong + accepted === 0, `${name} applied ${wrong + accepted} edits wrongly; 0 allowed`),
      ...must(
        !isDefault || correct >= gate.share * applicable,
        `stet is under ${gate.share * 100} % correct ${gate.how}`,
      ),
    ];
  });
}

/** @param {boolean} holds @param {string} sentence */
const must = (holds, sentence) => (holds ? [] : [sentence]);
