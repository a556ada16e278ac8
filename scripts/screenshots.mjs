// Pictures of the page for the documentation: npm run screenshots. Needs the build, and a Chromium as the tests do.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { startBrowser } from "./browser.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const images = join(root, "docs/images");
const scratch = mkdtempSync(join(tmpdir(), "stet-screenshots-"));
process.env.STET_STATE = join(scratch, "state");
const { openWorkspace } = await import("../dist/index.js");
const { servePage } = await import("../dist/page/server/serve.js");

const SERVER = `import { createServer } from "node:http";

const host = "localhost";
const port = 3000;

export function start() {
  const server = createServer((request, response) => {
    response.end("hello");
  });
  server.listen(port, host);
  return server;
}
`;

/** What each picture shows: the address behind the page, and what is pressed there. */
const VIEWS = [
  ["timeline", "?", []],
  ["entry", "?view=entry&ws=shop&seq=2", []],
  ["refusal", "?view=entry&ws=shop&seq=3", []],
  ["file", "?view=file&ws=shop&file=src/server.ts", []],
  ["session", "?view=net&ws=shop&of=agent:codex&layout=split", []],
  ["undo", "?view=entry&ws=shop&seq=5", ["u"]],
];

const browser = await startBrowser();
if (typeof browser === "string") throw new Error(browser);
const workspace = await played(join(scratch, "shop"));
const served = [{ name: "shop", workspace }];
const page = await servePage({ served, version: "0.1.0", person: "ada" });
try {
  mkdirSync(images, { recursive: true });
  const options = { viewport: { width: 1280, height: 720 }, colorScheme: "light", timezoneId: "UTC", locale: "en-GB" };
  const window = await (await browser.newContext(options)).newPage();
  await window.goto(page.link);
  await window.waitForSelector(".entry");
  for (const [name, search, keys] of VIEWS) {
    await window.goto(`${page.url}/${search}`);
    await window.waitForSelector(".live.live");
    for (const key of keys) await window.keyboard.press(key);
    await window.waitForTimeout(700);
    await window.screenshot({ path: join(images, `${name}.png`) });
  }
} finally {
  await page.close();
  await workspace.close();
  await browser.close();
  rmSync(scratch, { recursive: true, force: true });
}

/** Two agents, a refusal, an outside change, a deletion. */
async function played(directory) {
  mkdirSync(join(directory, "src"), { recursive: true });
  const files = { "src/server.ts": SERVER, "README.md": "# Shop\n", "notes.txt": "call Eve\n", ".env": "KEY=1\n" };
  for (const [path, text] of Object.entries(files)) writeFileSync(join(directory, path), text);
  const opened = openWorkspace({ root: directory, durability: "fast" });
  const [claude, codex] = ["claude", "codex"].map((agent) => opened.session({ agent }));
  const first = await claude.read("src/server.ts");
  const edit = (session, from, to, options) =>
    session.edit(
      "src/server.ts",
      ({ body }) => [{ start: body.indexOf(from), end: body.indexOf(from) + from.length, text: to }],
      { tool: "edit_file", ...options },
    );
  await codex.read("src/server.ts");
  await edit(codex, '"localhost"', '"0.0.0.0"', {});
  await edit(codex, 'response.end("hello");', 'response.setHeader("x-shop", "1");\n    response.end("welcome");', {});
  await edit(claude, "3000", "4000", { expectedSha256: first.sha256 }).catch(() => {});
  await claude.read(".env", undefined, { tool: "read_file" }).catch(() => {});
  await claude.read("src/server.ts");
  await edit(claude, "const port = 3000;", "const port = Number(process.env.PORT ?? 3000);", {});
  await codex.read("notes.txt");
  await codex.delete("notes.txt", { tool: "delete_file" });
  await codex.read("README.md");
  await codex.write("README.md", "# Shop\n\nRun `npm start`.\n", { tool: "write_file" });
  writeFileSync(join(directory, "README.md"), "# Shop\n\nOpen day and night.\n\nRun `npm start`.\n");
  await codex.read("README.md");
  return opened;
}
