// Errors of the operating system become refusals in one place; anything else stays what it is.
import { openSync, readFileSync } from "node:fs";
import { Refusal } from "stet";
import { describe, expect, it } from "vitest";
import { errnoOf, refusalOf } from "../../../src/backends/disk/errno.ts";

const systemError = (code: string) =>
  Object.assign(new Error(`${code}: open '/proc/self/fd/21/x'`), { code, errno: -1 });

describe("refusalOf", () => {
  it.each([
    ["ENOENT", "not_found"],
    ["EEXIST", "already_exists"],
    ["ENOTDIR", "not_a_directory"],
    ["EISDIR", "not_a_file"],
    ["ENXIO", "not_a_file"],
    ["ELOOP", "path_changed"],
    ["ESTALE", "path_changed"],
    ["ENAMETOOLONG", "invalid_path"],
    ["EACCES", "permission_denied"],
    ["EPERM", "permission_denied"],
    ["EROFS", "permission_denied"],
    ["ENOSPC", "disk_full"],
    ["EDQUOT", "disk_full"],
    ["EFBIG", "file_too_large"],
    ["EMFILE", "busy"],
    ["ENFILE", "busy"],
    ["EBUSY", "busy"],
    ["EIO", "io_error"],
    ["EXDEV", "io_error"],
  ])("%s is %s", (code, kind) => {
    const refusal = refusalOf(systemError(code), "d/x", "write");
    expect(refusal.failure).toMatchObject({ kind, path: "d/x", details: { errno: code } });
    expect(refusal.failure.suggestedAction).toBeTruthy();
    expect(refusal.failure.message).toMatch(/^Could not write 'd\/x': /);
    expect(refusal.message).not.toContain("/proc/");
  });

  it("takes what Node throws", () => {
    expect.assertions(2);
    try {
      openSync("/nonexistent/file", "r");
    } catch (error) {
      expect(errnoOf(error)).toBe("ENOENT");
      expect(refusalOf(error, "x", "read").kind).toBe("not_found");
    }
  });

  it("lets refusals pass and throws defects as they are", () => {
    const refusal = new Refusal("stale_file", "old");
    expect(refusalOf(refusal, "x", "read")).toBe(refusal);
    const defect = new TypeError("not a function");
    expect(() => refusalOf(defect, "x", "read")).toThrow(defect);
    expect(() => readWrongly()).toThrow(TypeError);
  });
});

/** Node's own argument errors carry a code but no errno: they are our mistake, not the system's. */
function readWrongly(): void {
  try {
    readFileSync(undefined as unknown as string);
  } catch (error) {
    throw refusalOf(error, "x", "read");
  }
}
