// Paths of Git Bash, which mean a drive on Windows alone: no other machine shows it from outside.
import { expect, it } from "vitest";
import { nativePath } from "../../../src/surfaces/compact/paths.ts";

it.each([
  ["/c/Users/me/a.ts", "C:/Users/me/a.ts"],
  ["/D/x", "D:/x"],
  ["/c", "C:/"],
  ["/cc/x", "/cc/x"],
  ["c/x", "c/x"],
  ["C:/Users/me", "C:/Users/me"],
])("%s is %s on Windows and stays as it is elsewhere", (raw, native) => {
  expect(nativePath(raw, "win32")).toBe(native);
  for (const platform of ["linux", "darwin"] as const) expect(nativePath(raw, platform)).toBe(raw);
});
