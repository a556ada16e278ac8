// Paths: one canonical spelling, nothing outside, directories are not files.
import assert from "node:assert/strict";
import { AUTHOR, all, change, path, refuses, textAt, version, write } from "../assertions.ts";
import type { Case } from "../index.ts";

export const pathCases: readonly Case[] = [
  {
    name: "different spellings of a path resolve to one",
    async run(backend) {
      await write(backend, "dir/a", "x");
      for (const raw of ["dir/a", "./dir/a", "dir//a", "dir/./a", "dir/../dir/a"]) {
        assert.deepEqual(
          await backend.resolve(raw).then(({ path: found, kind }) => [found, kind]),
          ["dir/a", "file"],
          raw,
        );
      }
    },
  },
  {
    name: "paths that lead outside are refused",
    async run(backend) {
      await write(backend, "dir/a", "x");
      for (const raw of ["..", "../x", "dir/../../x", "../../../../etc/passwd"])
        await refuses("outside_workspace", () => backend.resolve(raw));
    },
  },
  {
    name: "names that are no names are refused",
    async run(backend) {
      for (const raw of ["", "   ", "a\0b", "a\ud800b", "a\nb", "é".repeat(200)])
        await refuses("invalid_path", () => backend.resolve(raw));
    },
  },
  {
    name: "a file is not a directory and a directory is not a file",
    async run(backend) {
      await write(backend, "dir/a", "x");
      await refuses("not_a_directory", () => backend.resolve("dir/a/"));
      await refuses("not_a_directory", () => backend.resolve("dir/a/b"));
      await refuses("not_a_file", () => backend.read(path("dir")));
      assert.equal((await backend.resolve("dir")).kind, "directory");
    },
  },
  {
    name: "a new file needs its directory or leave to make it",
    async run(backend) {
      await refuses("not_found", () => backend.commit([change("no/such/file", null, version("x"))], AUTHOR));
      assert.equal((await backend.resolve("no")).kind, "absent");
      await backend.commit([change("no/such/file", null, version("x"), true)], AUTHOR);
      assert.equal(await textAt(backend, "no/such/file"), "x");
    },
  },
  {
    name: "a refused commit leaves no directories behind",
    async run(backend) {
      await write(backend, "a", "x");
      const changes = [change("new/deep/file", null, version("x"), true), change("a", version("stale").sha, null)];
      await refuses("stale_file", () => backend.commit(changes, AUTHOR));
      assert.equal((await backend.resolve("new")).kind, "absent");
    },
  },
  {
    name: "a directory lists what is directly in it",
    async run(backend) {
      await write(backend, "a", "1");
      await write(backend, "dir/b", "22");
      await write(backend, "dir/sub/c", "333");
      const names = async (dir: string): Promise<string[]> =>
        (await all(backend.list(path(dir)))).map(({ name, kind }) => `${kind} ${name}`).sort();
      assert.deepEqual(
        (await names("")).filter((name) => !name.endsWith(".stet")),
        ["directory dir", "file a"],
      );
      assert.deepEqual(await names("dir"), ["directory sub", "file b"]);
      await refuses("not_found", () => all(backend.list(path("nowhere"))));
      await refuses("not_a_directory", () => all(backend.list(path("a"))));
    },
  },
];
