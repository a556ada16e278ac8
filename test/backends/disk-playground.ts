// Moved: test/support/playground.ts, and below test/internal for what opens a root itself.
export * from "../internal/backends/disk-playground.ts";
