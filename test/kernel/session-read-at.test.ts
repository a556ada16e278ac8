// A place that a session has just resolved may be read without following the path again; no other place may be handed in.
import { Workspace } from "stet";
import { memory } from "stet/backends/memory";
import { expect, it } from "vitest";
import { refuses } from "../support/assertions.ts";

it("a resolved place is read, any other is asked for anew", async () => {
  const backend = memory({ files: { "a.txt": "one\n", "secret.txt": "s\n" } });
  const session = new Workspace(backend, { policy: { deniedPaths: ["secret.txt"] } }).session();
  const at = await session.resolve("a.txt", "read");
  expect((await session.read("a.txt", undefined, { at })).body).toBe("one\n");
  const forged = { ...at, path: "secret.txt" as typeof at.path };
  expect((await session.read("a.txt", undefined, { at: forged })).body).toBe("one\n");
  await refuses("permission_denied", () => session.read("secret.txt", undefined, { at: forged }));
});
