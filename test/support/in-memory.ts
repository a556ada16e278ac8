// Files of these tests lie in a file system in memory, where there is one: they are not about disks, and disks are slow.
import { join } from "node:path";

const { TESTS_IN_MEMORY: directory } = process.env;
if (directory !== undefined) {
  process.env.TMPDIR = directory;
  process.env.STET_STATE = join(directory, "state");
}
