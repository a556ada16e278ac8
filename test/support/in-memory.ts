// Files of these tests lie in a file system in memory, where there is one: they are not about disks, and disks are slow.
if (process.env.TESTS_IN_MEMORY !== undefined) process.env.TMPDIR = process.env.TESTS_IN_MEMORY;
