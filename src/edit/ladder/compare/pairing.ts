// Which lines of old and new text are the same line: whether a shortest diff leaves a choice.

/**
 * The first of `wanted` old lines that can be paired in more than one way by diffs of the same length: with different
 * new lines, or with one or none.
 */
export function freelyPaired(
  oldLines: readonly string[],
  newLines: readonly string[],
  wanted: readonly number[],
): number | undefined {
  const rows = oldLines.length;
  const columns = newLines.length;
  if (rows * columns > MOST_CELLS) return wanted[0];
  const width = columns + 1;
  const before = new Uint16Array((rows + 1) * width);
  const after = new Uint16Array((rows + 1) * width);
  for (let i = 0; i < rows; i++) {
    for (let j = 0; j < columns; j++) {
      before[(i + 1) * width + j + 1] =
        oldLines[i] === newLines[j]
          ? before[i * width + j]! + 1
          : Math.max(before[i * width + j + 1]!, before[(i + 1) * width + j]!);
    }
  }
  for (let i = rows - 1; i >= 0; i--) {
    for (let j = columns - 1; j >= 0; j--) {
      after[i * width + j] =
        oldLines[i] === newLines[j]
          ? after[(i + 1) * width + j + 1]! + 1
          : Math.max(after[(i + 1) * width + j]!, after[i * width + j + 1]!);
    }
  }
  const longest = before[rows * width + columns]!;
  return wanted.find((i) => {
    let choices = 0;
    let unpaired = 0;
    for (let j = 0; j <= columns; j++) {
      if (before[i * width + j]! + after[(i + 1) * width + j]! === longest) unpaired = 1;
      if (j === columns || oldLines[i] !== newLines[j]) continue;
      if (before[i * width + j]! + 1 + after[(i + 1) * width + j + 1]! === longest) choices++;
    }
    return choices + unpaired > 1;
  });
}

// Old and new text of 1000 lines each; beyond, a line that differs is not merged at all.
const MOST_CELLS = 1_000_000;
