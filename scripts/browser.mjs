// A real browser for the tests and the pictures: one that is named or installed, or the one that comes with the development packages.
import { existsSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";

const cache = fileURLToPath(new URL("../node_modules/.cache/", import.meta.url));

const ARGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--no-first-run",
  "--font-render-hinting=none",
];

/** Why there is none, in words, where none starts. */
export async function startBrowser() {
  const named = process.env.CHROME_PATH;
  const installed = ["/usr/bin/chromium", "/usr/bin/google-chrome"].find(existsSync);
  const path = named ?? installed;
  if (path !== undefined) {
    const started = await launched(path);
    if (typeof started !== "string" || named !== undefined) return started;
  }
  if (process.platform !== "linux" || process.arch !== "x64")
    return "No Chromium here: name one with CHROME_PATH to have the page in a browser.";
  const packed = await unpacked().catch(String);
  if (!packed.startsWith("/")) return packed;
  const plain = await launched(join(packed, "chromium"));
  if (typeof plain !== "string") return plain;
  return launched(join(packed, "chromium"), { LD_LIBRARY_PATH: join(packed, "al2023/lib") });
}

async function launched(executablePath, env = {}) {
  try {
    return await chromium.launch({ executablePath, args: ARGS, env: { ...process.env, ...env } });
  } catch (error) {
    return `${executablePath} does not start: ${String(error).slice(0, 500)}`;
  }
}

/** Unpacked once, with the libraries that a bare system lacks; kept with what else is made of the packages. */
async function unpacked() {
  const folder = join(cache, "chromium-147");
  if (existsSync(folder)) return folder;
  const { default: packed } = await import("@sparticuz/chromium");
  const aside = `${folder}-${process.pid}`;
  mkdirSync(aside, { recursive: true });
  const { TMPDIR, AWS_EXECUTION_ENV } = process.env;
  // The package unpacks to the temporary directory, and its libraries only where it takes the machine for a lambda.
  Object.assign(process.env, { TMPDIR: aside, AWS_EXECUTION_ENV: "AWS_Lambda_nodejs20.x" });
  try {
    await packed.executablePath();
  } finally {
    restore("TMPDIR", TMPDIR);
    restore("AWS_EXECUTION_ENV", AWS_EXECUTION_ENV);
  }
  try {
    renameSync(aside, folder);
  } catch (error) {
    // Another process was quicker.
    rmSync(aside, { recursive: true, force: true });
    if (!existsSync(folder)) throw error;
  }
  return folder;
}

function restore(name, value) {
  if (value === undefined) delete process.env[name];
  else process.env[name] = value;
}
