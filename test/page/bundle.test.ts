// What the browser is given: small, with nothing inline, nothing made of text, nothing from elsewhere.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { expect, it } from "vitest";
import { pageFolder } from "./support.ts";

const FILES = ["index.html", "app.js", "app.css", "worker.js", "icon.svg"];

it("has 60 KB at most, packed; no inline code or style, none made of text, no address elsewhere", async () => {
  const folder = await pageFolder();
  const all = FILES.map((file) => readFileSync(join(folder, file), "utf8"));
  const packed = all.map((text) => gzipSync(text, { level: 9 }).length);
  expect(packed.reduce((sum, bytes) => sum + bytes, 0)).toBeLessThanOrEqual(60 * 1024);
  const [html, app, css, worker] = all as [string, string, string, string];
  expect(html).not.toMatch(/<script>|<style|\sstyle=|\son\w+=/);
  for (const code of [app, worker])
    expect(code).not.toMatch(/\beval\(|new Function\(|document\.write|sourceMappingURL/);
  const addresses = [html, app, css, worker].flatMap((text) => text.match(/https?:\/\/[^\s"'`)]+/g) ?? []);
  const inWords = /^http:\/\/www\.w3\.org\/|^https:\/\/github\.com\/highlightjs\//;
  expect(addresses.filter((address) => !inWords.test(address))).toEqual([]);
  const notices = readFileSync(join(folder, "NOTICES.txt"), "utf8");
  for (const name of ["preact", "@preact/signals", "lowlight", "highlight.js"]) expect(notices).toContain(`\n${name} `);
});
