// The figures stet must reach; peers never count here.

/** @typedef {import("./report.mjs").EngineReport} EngineReport */

/**
 * Shares are demanded of the usual trials only: another set has another mix of classes.
 * @param {readonly EngineReport[]} reports @param {boolean} isDefault @returns {string[]} what was missed
 */
export function missedGates(reports, isDefault) {
  return reports.flatMap(({ name, totals }) => {
    const { correct, wrong, accepted, applicable, mustRefuse, threw } = totals;
    const threwAny = must(threw === 0, `${name} threw ${threw} times`);
    if (name === "stet") {
      return [
        ...threwAny,
        ...must(wrong + accepted === 0, `stet applied ${wrong + accepted} edits wrongly without proof; 0 allowed`),
        ...must(!isDefault || correct >= 0.91 * applicable, `stet is under 91 % correct without proof`),
      ];
    }
    if (name !== "stet-seen") return [];
    const fewWrong = wrong <= 0.003 * applicable && wrong + accepted <= 0.003 * (applicable + mustRefuse);
    return [
      ...threwAny,
      ...must(!isDefault || correct >= 0.96 * applicable, `stet is under 96 % correct with proof`),
      ...must(!isDefault || fewWrong, `stet is over 0.3 % wrong with proof`),
    ];
  });
}

/** @param {boolean} holds @param {string} sentence */
const must = (holds, sentence) => (holds ? [] : [sentence]);
