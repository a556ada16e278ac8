// What an agent does all day, calls of every kind: most on the same files, some on files that come and go.
const FILES = 30;

/**
 * Makes one call after the other until it is told to stop; gives back how many were made, and what became of them.
 * Names that come and go are all different, unless `distinct` is false: the journal has a last word on each of them.
 */
export async function work({ request }, n, isOver, { distinct = true } = {}) {
  const counts = { calls: 0, refused: 0, failed: 0, failure: undefined };
  const call = async (name, input) => {
    counts.calls += 1;
    try {
      const { isError, content } = await request("tools/call", { name, arguments: input });
      if (isError) counts.refused += 1;
      return isError ? "" : content[0].text;
    } catch (error) {
      counts.failed += 1;
      counts.failure = error.message;
      return "";
    }
  };
  const read = async (path, range = {}) => shaIn(await call("read_file", { path, ...range }));
  const edit = async (path, oldText, newText) =>
    call("edit_file", { path, edits: [{ oldText, newText }], expectedSha256: await read(path) });

  const STEPS = [
    (turn, path) => edit(path, `${n} line 7 `, `${n} line 7 ${turn} `),
    async (turn, path) => call("write_file", { path, content: contentOf(n, turn), expectedSha256: await read(path) }),
    (_turn, path) => read(path, { startLine: 3, endLine: 9 }),
    (turn) => call("search_files", { query: `line ${turn % 40} `, mode: "content", root: `s${n}`, maxResults: 20 }),
    () => call("glob", { pattern: `s${n}/**/*.txt` }),
    () => call("list_directory", { path: `s${n}` }),
    (_turn, path) => call("audit_log", { path, maxResults: 5 }),
    (_turn, path) => edit(path, "nothing has this", "so it is refused"),
    (turn) => read(`s${n}/missing-${turn}.txt`),
    async (turn, path) =>
      call("apply_patch", {
        patch: `--- a/${path}\n+++ b/${path}\n@@ -1 +1 @@\n-${n} line 0 of ${turn}\n+${n} line 0 patched\n`,
        expectedSha256ByPath: { [path]: await read(path) },
      }),
    async (turn, path) => {
      await call("delete_file", { path, expectedSha256: await read(path) });
      await call("restore_file", { trashedPath: path });
      await call("list_trash", { maxResults: 5, path: `s${n}/f${turn % FILES}.txt` });
    },
    async (turn) => {
      const which = distinct ? turn : 0;
      const [one, other] = [`s${n}/new-${which}.txt`, `s${n}/moved-${which}.txt`];
      await call("create_file", { path: one, content: contentOf(n, turn) });
      await call("move_file", { fromPath: one, toPath: other, expectedSha256: await read(one) });
      await call("delete_file", { path: other, expectedSha256: await read(other) });
    },
  ];

  for (let file = 0; file < FILES; file++)
    await call("create_file", {
      path: `s${n}/f${file}.txt`,
      content: contentOf(n, file),
      createParentDirectories: true,
    });
  for (let turn = 0; !isOver(counts.calls); turn++)
    await STEPS[turn % STEPS.length](turn, `s${n}/f${turn % FILES}.txt`);
  return counts;
}

function contentOf(n, turn) {
  return Array.from({ length: 60 }, (_, line) => `${n} line ${line} of ${turn}, and some more words\n`).join("");
}

function shaIn(text) {
  return /sha256=([0-9a-f]{64})/.exec(text)?.[1] ?? "0".repeat(64);
}
