// Which addresses are of this machine only, and by which names a server goes.
import { expect, it } from "vitest";
import { exactHost, exactOrigin, isLoopback, ownHosts, urlHost } from "../../src/serve/http/access/address.ts";

it("knows loopback in every spelling, and nothing else as such", () => {
  for (const address of ["127.0.0.1", "127.255.0.9", "::1", "[::1]", "localhost", "LocalHost", "::ffff:127.0.0.1"])
    expect(isLoopback(address), address).toBe(true);
  for (const address of [
    "0.0.0.0",
    "::",
    "128.0.0.1",
    "10.0.0.1",
    "localhost.evil.example",
    "127.0.0.1.evil.example",
    "127.1",
    "::ffff:10.0.0.1",
    "",
    undefined,
  ])
    expect(isLoopback(address), String(address)).toBe(false);
});

it("goes by its own names with its port; the usual port may be left out", () => {
  expect(ownHosts("127.0.0.1", 4100)).toEqual(["127.0.0.1:4100", "localhost:4100", "[::1]:4100"]);
  expect(ownHosts("Files.Example", 80)).toContain("files.example");
  expect(ownHosts("fe80::1", 4100)).toContain("[fe80::1]:4100");
  expect(urlHost("::1")).toBe("[::1]");
});

it("takes exact hosts and origins, in the spelling of a request", () => {
  expect([exactHost("Files.Example:8443"), exactHost("[::1]:80"), exactHost("files.example")]).toEqual([
    "files.example:8443",
    "[::1]:80",
    "files.example",
  ]);
  expect([exactOrigin("HTTPS://Files.Example"), exactOrigin("vscode-webview://abc")]).toEqual([
    "https://files.example",
    "vscode-webview://abc",
  ]);
});
