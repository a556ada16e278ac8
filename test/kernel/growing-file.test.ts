// A file that grows while it is read: the read ends, with a consistent version or a refusal.
import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { Refusal, shaOf, Workspace } from "stet";
import { disk } from "stet/backends/disk";
import { describe, expect, it } from "vitest";
import { directoryWith } from "../support/workspace.ts";

describe("a growing file", () => {
  it("is read up to the limit and no further", async () => {
    const root = directoryWith({ log: "start\n" });
    const session = new Workspace(disk({ root }), { policy: { maxFileBytes: 2_000_000 } }).session();
    const program = `const { appendFileSync } = require("node:fs"); const { workerData } = require("node:worker_threads");
      for (let i = 0; i < 3000; i++) appendFileSync(workerData, "x".repeat(999) + "\\n");`;
    const writer = new Worker(program, { eval: true, workerData: join(root, "log") });
    let running = true;
    const ended = new Promise<void>((resolve) => {
      writer.on("exit", () => {
        running = false;
        resolve();
      });
    });
    let read = 0;
    while (running) {
      try {
        const { whole, sha, size } = await session.read("log");
        expect(shaOf(whole!.version.parts)).toBe(sha);
        expect(size).toBeLessThanOrEqual(2_000_000);
        read++;
      } catch (error) {
        expect((error as Refusal).kind).toBe("file_too_large");
      }
      await new Promise((resolve) => setImmediate(resolve));
    }
    await ended;
    expect(read).toBeGreaterThan(0);
    appendFileSync(join(root, "log"), "end\n");
    await expect(session.read("log")).rejects.toBeInstanceOf(Refusal);
  });
});
