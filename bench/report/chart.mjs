// The trust table as a picture: one square a case, one row a tool.

const FILL = { right: "#2f9e63", refused: "#8fc7a8", wrong: "#e8912d", lost: "#c92a2a", "n/a": "#e9ecef" };
const SIGN = { right: "✓", refused: "–", wrong: "✗", lost: "✗✗", "n/a": "" };
const [SIDE, GAP, LEFT, TOP] = [24, 3, 130, 128];

/** @param {readonly any[]} reports */
export function trustChart(reports) {
  const ran = reports.filter(({ rows }) => rows.length > 0);
  const ids = ran[0]?.rows.map((/** @type {any} */ row) => row.case) ?? [];
  const width = LEFT + ids.length * (SIDE + GAP) + 60;
  const height = TOP + ran.length * (SIDE + GAP) + 34;
  const columns = ids.map((/** @type {string} */ id, /** @type {number} */ n) => {
    const x = LEFT + n * (SIDE + GAP) + SIDE / 2;
    return `<text transform="translate(${x + 4} ${TOP - 8}) rotate(-55)">${id}</text>`;
  });
  const rows = ran.map((report, y) => row(report, TOP + y * (SIDE + GAP)));
  const legend = Object.entries({
    right: "right",
    refused: "refused",
    wrong: "wrong",
    lost: "lost",
    "n/a": "not offered",
  });
  const key = legend.map(([verdict, word], n) => {
    const x = LEFT + n * 100;
    return `${square(x, height - 22, 14, /** @type {keyof typeof FILL} */ (verdict))}<text x="${x + 20}" y="${height - 11}">${word}</text>`;
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="Trust table: each tool in each case">`,
    `<rect width="100%" height="100%" fill="#fff"/>`,
    `<g font-family="system-ui, sans-serif" font-size="12" fill="#212529">`,
    ...columns,
    ...rows,
    ...key,
    "</g></svg>\n",
  ].join("\n");
}

/** @param {any} report @param {number} y */
function row(report, y) {
  const bad = report.rows.filter((/** @type {any} */ { verdict }) => verdict === "wrong" || verdict === "lost").length;
  const weight = report.stet ? ' font-weight="600"' : "";
  const squares = report.rows.map((/** @type {any} */ each, /** @type {number} */ n) =>
    square(LEFT + n * (SIDE + GAP), y, SIDE, each.verdict, `${report.tool}, ${each.case}: ${each.verdict}`),
  );
  const right = LEFT + report.rows.length * (SIDE + GAP) + 8;
  return [
    `<text x="${LEFT - 10}" y="${y + 16}" text-anchor="end"${weight}>${report.tool}</text>`,
    ...squares,
    `<text x="${right}" y="${y + 16}"${weight}>${bad} bad</text>`,
  ].join("");
}

/** @param {number} x @param {number} y @param {number} side @param {keyof typeof FILL} verdict @param {string} [title] */
function square(x, y, side, verdict, title) {
  const sign = side === SIDE ? SIGN[verdict] : "";
  const label = sign && `<text x="${x + side / 2}" y="${y + 16}" text-anchor="middle" fill="#fff">${sign}</text>`;
  const hint = title === undefined ? "" : `<title>${title}</title>`;
  return `<g>${hint}<rect x="${x}" y="${y}" width="${side}" height="${side}" rx="4" fill="${FILL[verdict]}"/>${label}</g>`;
}
