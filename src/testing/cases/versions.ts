// Versions: what was written is read back, what was replaced is kept, a stale `from` changes nothing.
import assert from "node:assert/strict";
import type { Backend, Entry } from "../../core/backend.ts";
import { versionOf } from "../../core/version.ts";
import { AUTHOR, all, change, path, refuses, textAt, version, write } from "../assertions.ts";
import type { Case } from "../index.ts";

export const versionCases: readonly Case[] = [
  {
    name: "a created file is read back byte for byte",
    async run(backend) {
      const bytes = versionOf([Uint8Array.of(0, 255, 13, 10, 0xef, 0xbb, 0xbf, 0x80)]);
      await backend.commit([change("a.bin", null, bytes)], AUTHOR);
      const found = await backend.read(path("a.bin"));
      assert.equal(found?.sha, bytes.sha);
      assert.deepEqual(Buffer.concat(found?.parts as Uint8Array[]), Buffer.from(bytes.parts[0]!));
    },
  },
  {
    name: "a version in several parts is stored as one file",
    async run(backend) {
      const parts = ["one ", "", "two ", "three"].map((text) => Buffer.from(text));
      await backend.commit([change("a", null, versionOf(parts))], AUTHOR);
      assert.equal(await textAt(backend, "a"), "one two three");
    },
  },
  {
    name: "an empty file is a file",
    async run(backend) {
      await backend.commit([change("empty", null, version(""))], AUTHOR);
      assert.equal((await backend.read(path("empty")))?.size, 0);
      assert.equal((await backend.resolve("empty")).kind, "file");
    },
  },
  {
    name: "an absent file reads as null",
    async run(backend) {
      assert.equal(await backend.read(path("nothing")), null);
      assert.equal(await backend.stream(path("nothing")), null);
    },
  },
  {
    name: "creating over an existing file is stale and changes nothing",
    async run(backend) {
      await write(backend, "a", "first");
      await refuses("stale_file", () => backend.commit([change("a", null, version("second"))], AUTHOR));
      assert.equal(await textAt(backend, "a"), "first");
    },
  },
  {
    name: "writing from another version is stale and changes nothing",
    async run(backend) {
      await write(backend, "a", "first");
      await refuses("stale_file", () => backend.commit([change("a", version("other").sha, version("second"))], AUTHOR));
      assert.equal(await textAt(backend, "a"), "first");
    },
  },
  {
    name: "several changes happen together",
    async run(backend) {
      const a = await write(backend, "a", "A");
      const b = await write(backend, "b", "B");
      const { entry } = await backend.commit(
        [change("a", a.sha, version("A2")), change("b", b.sha, null), change("dir/c", null, version("C"), true)],
        AUTHOR,
      );
      assert.equal(entry.changes.length, 3);
      assert.deepEqual(
        [await textAt(backend, "a"), await textAt(backend, "b"), await textAt(backend, "dir/c")],
        ["A2", null, "C"],
      );
    },
  },
  {
    name: "one stale change among several stops all of them",
    async run(backend) {
      const a = await write(backend, "a", "A");
      await write(backend, "b", "B");
      const changes = [
        change("a", a.sha, version("A2")),
        change("b", version("stale").sha, null),
        change("c", null, version("C")),
      ];
      await refuses("stale_file", () => backend.commit(changes, AUTHOR));
      assert.deepEqual(
        [await textAt(backend, "a"), await textAt(backend, "b"), await textAt(backend, "c")],
        ["A", "B", null],
      );
    },
  },
  {
    name: "replaced, deleted and written versions can be recalled",
    async run(backend) {
      const first = await write(backend, "a", "first");
      const second = await write(backend, "a", "second");
      await backend.commit([change("a", second.sha, null)], AUTHOR);
      for (const kept of [first, second]) {
        const found = await backend.recall(kept.sha);
        assert.deepEqual(Buffer.concat(found?.parts as Uint8Array[]), Buffer.from(kept.parts[0]!));
      }
      assert.equal(await backend.recall(version("never").sha), null);
    },
  },
  {
    name: "forgotten versions are gone, others stay",
    async run(backend) {
      const first = await write(backend, "a", "first");
      const second = await write(backend, "a", "second");
      assert.deepEqual(await backend.forget([first.sha, version("never").sha]), { dropped: 1, bytes: first.size });
      assert.equal(await backend.recall(first.sha), null);
      assert.equal((await backend.recall(second.sha))?.sha, second.sha);
      assert.ok(!(await all(backend.kept())).some(({ sha }) => sha === first.sha));
    },
  },
  {
    name: "a version that came into use after it was looked at stays",
    async run(backend) {
      const [used, spare] = [await write(backend, "a", "used"), await write(backend, "b", "spare")];
      await write(backend, "b", "b");
      await write(backend, "a", "a");
      const newest = await newestOf(backend);
      await write(backend, "c", "used");
      await write(backend, "c", "c");
      const shas = [used.sha, spare.sha];
      assert.deepEqual(await backend.forget(shas, { newest }), { dropped: 1, bytes: spare.size, stayed: [used.sha] });
      assert.equal((await backend.recall(used.sha))?.sha, used.sha);
      assert.equal(await backend.recall(spare.sha), null);
      assert.deepEqual(await backend.forget(shas, { newest: await newestOf(backend) }), {
        dropped: 1,
        bytes: used.size,
      });
    },
  },
  {
    name: "a version that was kept again after it was looked at stays",
    async run(backend) {
      const [again, once] = [version("again"), version("once")];
      await backend.keep([again, once, once]);
      const keptAt = new Map((await all(backend.kept())).map((each) => [each.sha, each.keptAt]));
      // at another time than before
      await new Promise((resolve) => setTimeout(resolve, 20));
      await backend.keep([again]);
      const looked = { newest: await newestOf(backend), keptAt };
      const gone = { dropped: 1, bytes: once.size, stayed: [again.sha] };
      assert.deepEqual(await backend.forget([again.sha, once.sha], looked), gone);
      assert.equal((await backend.recall(again.sha))?.sha, again.sha);
    },
  },
  {
    name: "many versions are kept at once, and no entry says so",
    async run(backend) {
      const large = versionOf([Buffer.alloc(5 * 1024 * 1024, "large")]);
      const many = [...Array.from({ length: 300 }, (_, n) => version(`version ${n}`)), large, version(""), version("")];
      await backend.keep(many);
      await backend.keep(many);
      await backend.keep([]);
      const kept = await all(backend.kept());
      assert.deepEqual(kept.map(({ sha }) => sha).sort(), [...new Set(many.map(({ sha }) => sha))].sort());
      for (const { sha } of many) assert.equal((await backend.recall(sha))?.sha, sha);
      assert.deepEqual(await all(backend.log()), []);
    },
  },
  {
    name: "permission bits stay when content changes and come back with a version",
    async run(backend) {
      await backend.commit([change("run.sh", null, version("1", 0o755))], AUTHOR);
      const found = await backend.read(path("run.sh"));
      await backend.commit([change("run.sh", found!.sha, version("2"))], AUTHOR);
      assert.equal((await backend.read(path("run.sh")))?.mode, 0o755);
    },
  },
  {
    name: "a file is read as it is, whatever is likely there",
    async run(backend) {
      const before = await write(backend, "a", "one");
      const now = await write(backend, "a", "two");
      for (const likely of [before, now]) assert.equal(await textAt(backend, "a", { likely }), "two");
    },
  },
  {
    name: "a stream gives the same bytes as a read",
    async run(backend) {
      await write(backend, "a", "some text\n".repeat(1000));
      const chunks: Buffer[] = [];
      for await (const chunk of (await backend.stream(path("a")))!) chunks.push(Buffer.from(chunk));
      assert.equal(Buffer.concat(chunks).toString(), await textAt(backend, "a"));
    },
  },
  {
    name: "the chunks of a stream may be kept: each has memory of its own",
    async run(backend) {
      const text = Array.from({ length: 200_000 }, (_, n) => `this is line number ${n}\n`).join("");
      await write(backend, "a", text);
      const kept: Uint8Array[] = [];
      for await (const chunk of (await backend.stream(path("a")))!) kept.push(chunk);
      assert.ok(Buffer.concat(kept).equals(Buffer.from(text)), "a chunk was changed after it was given out");
    },
  },
  {
    name: "a kept version above the limit is refused, not cut",
    async run(backend) {
      const { sha } = await write(backend, "a", "0123456789");
      await write(backend, "a", "other");
      await refuses("file_too_large", () => backend.recall(sha, { maxBytes: 9 }));
      assert.equal((await backend.recall(sha, { maxBytes: 10 }))?.size, 10);
    },
  },
  {
    name: "a file above the limit is refused, not cut",
    async run(backend) {
      await write(backend, "a", "0123456789");
      await refuses("file_too_large", () => backend.read(path("a"), { maxBytes: 9 }));
      assert.equal((await backend.read(path("a"), { maxBytes: 10 }))?.size, 10);
    },
  },
];

async function newestOf(backend: Backend): Promise<Entry | null> {
  const [newest] = await all(backend.log({ newestFirst: true, limit: 1 }));
  return newest ?? null;
}
