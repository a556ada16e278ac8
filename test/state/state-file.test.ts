// Files of the state: only what is a regular file of ours, of one name and not too large, and no descriptor is left open.
import {
  closeSync,
  linkSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { createStateFile, openStateFile, readStateFile, replaceStateFile } from "../../src/backends/disk/state/file.ts";
import { tempDir } from "../support/temp.ts";

function file(text = "four"): string {
  const path = join(tempDir(), "file");
  writeFileSync(path, text);
  return path;
}

/** The next number that a file gets: one that was left open would be passed over. */
function nextDescriptor(): number {
  const fd = openSync("/", "r");
  closeSync(fd);
  return fd;
}

it("is read whole up to the size that it may have, and not a byte beyond", () => {
  const path = file();
  expect(readStateFile(path, 4)?.toString()).toBe("four");
  expect(readStateFile(path, 100)?.toString()).toBe("four");
  expect(() => readStateFile(path, 3)).toThrow("has 4 bytes, more than the 3 that it may have");
  expect(readStateFile(`${path}-not`, 4)).toBeUndefined();
  truncateSync(path);
  expect(readStateFile(path, 4)?.toString()).toBe("");
});

it.skipIf(process.platform === "win32")("with a second name is refused unless any may be, and is closed again", () => {
  const path = file();
  linkSync(path, `${path}-too`);
  const before = nextDescriptor();
  expect(() => openStateFile(path, { maxBytes: 4 })).toThrow("has another name by hard link");
  expect(() => openStateFile(path, { maxBytes: 3, anyLinks: true })).toThrow("has 4 bytes");
  expect(() => openStateFile(tempDir(), { maxBytes: 4 })).toThrow("is not a regular file");
  expect(nextDescriptor()).toBe(before);
  expect(readStateFile(path, 4, { anyLinks: true })?.toString()).toBe("four");
  expect(nextDescriptor()).toBe(before);
});

it.skipIf(process.platform === "win32")(
  "is made anew only where there is nothing, not even a link that leads nowhere",
  () => {
    const path = file();
    expect(() => createStateFile(path)).toThrow("EEXIST");
    expect(readFileSync(path, "utf8")).toBe("four");
    symlinkSync(`${path}-elsewhere`, `${path}-link`);
    expect(() => createStateFile(`${path}-link`)).toThrow("EEXIST");
  },
);

it.skipIf(process.platform === "win32")("is replaced as a name: what a link there leads to stays as it was", () => {
  const path = file();
  symlinkSync(path, `${path}-link`);
  replaceStateFile(`${path}-link`, ["new ", Buffer.from("text")], true);
  expect(readFileSync(`${path}-link`, "utf8")).toBe("new text");
  expect(readFileSync(path, "utf8")).toBe("four");
  mkdirSync(`${path}-directory`);
  expect(() => replaceStateFile(`${path}-directory`, ["text"], false)).toThrow("EISDIR");
  expect(readdirSync(dirname(path)).sort()).toEqual(["file", "file-directory", "file-link"]);
});
