// Tries things out in a directory of its own in the root, and removes it: writing, locks, swaps, hard links.
import { closeSync, fsyncSync, linkSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { takesLocks } from "../../backends/disk/lock.ts";
import { loadNative } from "../../backends/disk/native.ts";
import { type Finding, fail, ok, warn } from "./finding.ts";

export async function* probe(root: string): AsyncGenerator<Finding> {
  let directory: string;
  try {
    directory = mkdtempSync(join(root, ".stet-doctor-"));
  } catch (error) {
    yield fail("writable", `nothing can be made in the root (${codeOf(error)})`, "Changes will be refused.");
    return;
  }
  try {
    yield writing(directory);
    yield locks(directory);
    yield swapping(directory);
    yield hardLinks(directory);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

function writing(directory: string): Finding {
  try {
    const fd = openSync(join(directory, "written"), "wx");
    try {
      writeFileSync(fd, "stet");
      fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
    return ok("writable", "files can be written and flushed to the disk");
  } catch (error) {
    return fail("writable", `a file could not be written (${codeOf(error)})`, "Changes will be refused.");
  }
}

function locks(directory: string): Finding {
  const native = loadNative();
  const fd = openSync(join(directory, "written"), "r+");
  try {
    if (takesLocks(native, fd)) return ok("locks", "system locks", "They hold between processes and go with them.");
    const why = typeof native === "string" ? native : "the file system takes no locks";
    return warn("locks", `a lease, because ${why}`, "A process that is killed holds it for 20 seconds more.");
  } finally {
    closeSync(fd);
  }
}

function swapping(directory: string): Finding {
  const slower = "Files are replaced by rename; a program that looks at the wrong instant is noticed a little later.";
  const native = loadNative();
  if (typeof native === "string") return warn("swap", native, slower);
  const [a, b] = [join(directory, "a"), join(directory, "b")];
  writeFileSync(a, "a");
  writeFileSync(b, "b");
  try {
    native.swapSync(a, b);
    return readFileSync(a, "utf8") === "b"
      ? ok("swap", "two files change places in one step")
      : fail("swap", "an exchange of two files did something else", "Do not use this file system for a workspace.");
  } catch (error) {
    return warn("swap", `the file system cannot exchange two files (${codeOf(error)})`, slower);
  }
}

function hardLinks(directory: string): Finding {
  try {
    linkSync(join(directory, "written"), join(directory, "linked"));
    return ok("hard links", "work", "New files appear whole, and never over another.");
  } catch (error) {
    return warn(
      "hard links",
      `do not work (${codeOf(error)})`,
      "New files are made in another way, with a check before.",
    );
  }
}

function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? String(error);
}
