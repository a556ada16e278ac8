// A file that says it is endless and takes no room.
import { truncateSync, writeFileSync } from "node:fs";

export function sparse(path: string, bytes = 20 * 1024 ** 3): void {
  writeFileSync(path, "", { flag: "a" });
  truncateSync(path, bytes);
}
