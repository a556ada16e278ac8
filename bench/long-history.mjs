// Appends entries to the history of a root without touching its files, so that a long one is made in little time.

/** The root must have a history. @param {string} root @param {Iterable<object>} drafts @param {string} [dist] */
export async function appendEntries(root, drafts, dist = new URL("../dist/", import.meta.url).href) {
  const [{ findHistory, stateHome }, { openHistory }] = await Promise.all([
    import(`${dist}backends/disk/home.js`),
    import(`${dist}backends/disk/history.js`),
  ]);
  const history = openHistory(findHistory(stateHome(), root), { segmentBytes: SEGMENT_BYTES });
  for (const draft of drafts) history.log.record(draft);
  // else the next change would roll all of them forward
  history.mark.place(history.log.tail.seq);
  history.mark.secure(history.log.tail.seq);
  history.close();
}

const SEGMENT_BYTES = 4 * 1024 * 1024;
