/// <reference lib="dom" />
// What the page offers to do, in a real browser: only what can be done there, and only where it was meant.
import { restore, undoHunk, Workspace } from "stet";
import { memory } from "stet/backends/memory";
import { expect, it } from "vitest";
import { memoryWorkspace } from "../../support/workspace.ts";
import { openPage } from "../support.ts";
import { useBrowser } from "../windows.ts";

const windowFor = useBrowser();
const waived = { proof: { by: "waived" } } as const;

it("a workspace that is read-only has no buttons and no keys for changes, another beside it has; an undo is of one of them", async (context) => {
  const backend = memory({ files: { "b.txt": "b\n" } });
  await new Workspace(backend).session({ agent: "codex" }).write("b.txt", "c\n", waived);
  const closed = new Workspace(backend, { policy: { readOnly: true } });
  const open = memoryWorkspace({ "a.txt": "a\n" });
  await open.session({ agent: "codex" }).write("a.txt", "b\n", waived);
  const { link, url } = await openPage({ closed, open });
  const page = await windowFor(context, link.replace("/#", "/?view=entry&ws=closed&seq=1#"));
  await page.waitForSelector(".live.live");
  await page.waitForSelector(".diff .line.add");
  expect(await page.locator(".head .acts button").allTextContents()).toEqual([
    "All of this session",
    "All of codex",
    "Side by side",
  ]);
  expect(await page.locator("text=Undo this part").count()).toBe(0);
  await page.keyboard.press("u");
  await page.keyboard.press("r");
  expect(await page.locator("dialog").count()).toBe(0);
  await page.goto(`${url}/?view=entry&ws=open&seq=1`);
  await page.waitForSelector(".live.live");
  await page.waitForSelector("text=Undo this part");
  await page.keyboard.press("u");
  await page.waitForSelector("dialog .line.add");
  await page.keyboard.press("Enter");
  await page.waitForSelector(".entry.taken-back");
  expect(await page.locator(".entry.taken-back .place").allTextContents()).toEqual(["open"]);
});

it("a part is offered of lines that can be taken back alone: not of a new file, nor of what only the journal says", async (context) => {
  const workspace = memoryWorkspace({ "a.txt": "a\n", "old.txt": "1\n2\n3\n4\n5\n6\n7\n8\n" });
  const agent = workspace.session({ agent: "codex" });
  await agent.create("new.txt", "new\n");
  await agent.delete("a.txt", waived);
  const { files } = await agent.write("old.txt", "1\n2\n3\n4\n5\n6\n7\neight\n", waived);
  const { link, url } = await openPage(workspace);
  const page = await windowFor(context, link);
  await page.waitForSelector(".live.live");
  const parts = async (seq: number): Promise<number> => {
    await page.goto(`${url}/?view=entry&ws=work&seq=${seq}`);
    await page.waitForSelector(".diff .hunk");
    return page.locator("text=Undo this part").count();
  };
  expect([await parts(1), await parts(2), await parts(3)]).toEqual([0, 0, 1]);
  await workspace.backend.forget([files[0]!.before!]);
  expect(await parts(3)).toBe(0);
  expect(await page.textContent(".diff")).toContain("As the journal says, unchecked:");
});

it("keys are for the page, not for what is typed or for the browser; while a dialog is open they are its own", async (context) => {
  const workspace = memoryWorkspace({ "a.txt": "a\n", "b.txt": "b\n" });
  const agent = workspace.session({ agent: "codex" });
  for (const path of ["a.txt", "b.txt"]) await agent.write(path, "c\n", waived);
  const { link } = await openPage(workspace);
  const page = await windowFor(context, link);
  await page.waitForSelector(".live.live");
  const address = () => new URL(page.url()).search;
  for (const key of ["Control+j", "Alt+j", "Meta+j"]) await page.keyboard.press(key);
  expect(address()).toBe("");
  await page.keyboard.press("/");
  await page.keyboard.type("jur?");
  expect(await page.inputValue("#search")).toBe("jur?");
  await page.waitForFunction(() => location.search === "?text=jur%3F");
  expect(await page.locator("dialog").count()).toBe(0);
  await page.fill("#search", "");
  await page.waitForFunction(() => location.search === "");
  await page.waitForSelector(".entry");
  await page.keyboard.press("Escape");
  await page.keyboard.press("j");
  await page.waitForSelector(".diff .line.add");
  const before = address();
  await page.keyboard.press("u");
  await page.waitForSelector("dialog .line.add");
  for (const key of ["j", "s", "?"]) await page.keyboard.press(key);
  expect([address(), await page.locator("dialog").count()]).toEqual([before, 1]);
});

it("what only speaks of an entry does not take it back", async (context) => {
  const workspace = memoryWorkspace({});
  const agent = workspace.session({ agent: "codex" });
  await agent.create("1.txt", "x\n");
  const { link } = await openPage(workspace);
  const page = await windowFor(context, link);
  await page.waitForSelector(".live.live");
  await page.waitForSelector(".entry");
  await workspace.backend.record({ session: "s", tool: "t", outcome: "note", changes: [], of: [1] });
  await agent.create("2.txt", "x\n");
  await page.waitForFunction(() => document.querySelectorAll(".entry").length === 2);
  expect(await page.locator(".entry.taken-back").count()).toBe(0);
});

it("what became of an entry is shown as it stands, also after an undo of an undo of an undo", async (context) => {
  const lines = Array.from({ length: 30 }, (_, n) => `line ${n + 1}\n`);
  const workspace = memoryWorkspace({ "a.txt": "a\n", "b.txt": lines.join(""), "c.txt": "c\n", "d.txt": "d\n" });
  const agent = workspace.session({ agent: "codex" });
  await agent.write("a.txt", "b\n", waived);
  await agent.write("b.txt", lines.with(2, "x\n").with(20, "y\n").join(""), waived);
  const targets = ["c.txt", "d.txt"].map((path) => ({ path, action: "delete", ...waived }) as const);
  await agent.change(targets, () => [null, null]);
  const { link } = await openPage(workspace);
  const page = await windowFor(context, link);
  await page.waitForSelector(".live.live");
  await page.waitForSelector(".entry");
  const person = workspace.session({ agent: "ada", owner: true });
  await undoHunk(person, { entry: 2, path: "b.txt", hunk: 2 });
  const entries = (count: number) =>
    page.waitForFunction((all) => document.querySelectorAll(".entry").length === all, count);
  for (const [n, entry] of [4, 1, 6, 7].entries()) {
    await person.undo({ entry });
    await entries(5 + n);
  }
  await restore(person, "c.txt");
  const shown = async (): Promise<string[]> => {
    await entries(9);
    const words = await page
      .locator(".entry")
      .evaluateAll((all) =>
        all.map(
          (each) => `${each.querySelector(".seq")!.textContent} ${each.querySelector(".tag")?.textContent ?? ""}`,
        ),
      );
    return words.map((each) => each.trim());
  };
  const live = await shown();
  expect(live).toEqual(["9", "8", "7 taken back", "6", "5", "4 taken back", "3", "2", "1 taken back"]);
  await page.reload();
  await page.waitForSelector(".live.live");
  expect(await shown()).toEqual(live);
});
