// The line that says what the change belongs to, with another word in the file: another place is meant, so nothing is changed.
import { replaceText } from "stet/edit";
import { describe, expect, it } from "vitest";

const text = (...lines: string[]): string => `${lines.join("\n")}\n`;

type Case = readonly [
  name: string,
  wrote: string,
  file: string,
  body: readonly string[],
  change: readonly [string, string],
];

const JS = ["  const session = open(user);", "  session.grant(rights);", "  return session.close();", "}"] as const;
const CASES: readonly Case[] = [
  ["a condition with another call", "if (isGuest(user)) {", "if (isAdmin(user)) {", JS, ["close", "end"]],
  ["a condition that is negated", "if (!page.ready) {", "if (page.ready) {", JS, ["close", "end"]],
  ["a comparison the other way", "while (count < min) {", "while (count > max) {", JS, ["close", "end"]],
  ["an operator only", "while (count <= most) {", "while (count >= most) {", JS, ["close", "end"]],
  ["a letter of a name", "function handleClock() {", "function handleClick() {", JS, ["close", "end"]],
  ["a word more", "if (user.isAdmin && user.isActive) {", "if (user.isAdmin) {", JS, ["close", "end"]],
  [
    "a branch",
    'elif kind == "remove":',
    'elif kind == "add":',
    ["    entry = find(kind, name)", "    entry.apply(name)", "    return entry.count"],
    ["count", "size"],
  ],
  [
    "with another lock",
    "with lock_b:",
    "with lock_a:",
    ["    total = counter.read()", "    counter.write(total + 1)", "    log(total)"],
    ["log(total)", "note(total)"],
  ],
  [
    "a statement of SQL",
    "DELETE FROM users",
    "UPDATE users SET name = 'x'",
    ["WHERE created_at < '2020-01-01'", "AND last_login IS NULL", "AND verified = 0;"],
    ["= 0", "= 1"],
  ],
  [
    "a resource",
    'resource "aws_sg" "b" {',
    'resource "aws_sg" "a" {',
    ['  description = "inner"', "  vpc_id      = var.vpc", "  port        = 22", "}"],
    ["22", "23"],
  ],
  [
    "lisp",
    "(defun add (item list)",
    "(defun remove (item list)",
    ["  (let ((place (find-place item list)))", "    (update-place place item)", "    (notify-watchers list)))"],
    ["watchers", "readers"],
  ],
  [
    "pascal",
    "procedure Remove;",
    "procedure Append;",
    ["begin", "  Lock(List);", "  Change(List, Item);", "  Unlock(List);", "end;"],
    ["Unlock", "Release"],
  ],
  [
    "nix",
    "deploy = mkDerivation {",
    "build = mkDerivation {",
    ['  name = "tool";', "  src = ./source;", "  phases = [ unpack install ];", "};"],
    ["unpack", "fetch"],
  ],
  [
    "an expectation",
    "expect(sub(1, 2))",
    "expect(add(1, 2))",
    ["  .not.toBeUndefined()", "  .withTimeout(100)", "  .toBe(3);"],
    ["toBe(3)", "toBe(4)"],
  ],
  [
    "a request",
    "POST /orders",
    "GET /users",
    ["Host: example.com", "Accept: application/json", "X-Trace: yes"],
    ["yes", "no"],
  ],
  [
    "an environment",
    "\\begin{lemma}",
    "\\begin{proof}",
    ["Every number that is even", "is the sum of two others,", "which we show below."],
    ["below", "above"],
  ],
  [
    "a paragraph",
    "**Windows**",
    "**Linux**",
    ["", "Download the installer first.", "Then run it as administrator.", "Restart the machine afterwards."],
    ["afterwards", "now"],
  ],
  [
    "a heading",
    "# Windows",
    "# Linux",
    ["", "Download the installer first.", "Then run it as administrator.", "Restart the machine afterwards."],
    ["afterwards", "now"],
  ],
  [
    "a letter",
    "From: bob",
    "From: ann",
    ["To: team@example.com", "Subject: the plan for May", "We meet on Monday at nine."],
    ["nine", "ten"],
  ],
];

describe("the head differs in a word, and its body is changed: refused", () => {
  it.each(CASES)("%s", (_name, wrote, file, body, [from, to]) => {
    const content = text("before = 1", "", file, ...body, "", "after = 2");
    const old = text(wrote, ...body);
    const changed = old.replace(from, to);
    expect(changed).not.toBe(old);
    expect(replaceText(content, old, changed)).toMatchObject({ ok: false });
    expect(replaceText(content, old, changed, { seen: true })).toMatchObject({ ok: false });
  });

  it.each(CASES)("%s, further down", (_name, wrote, file, body, [from, to]) => {
    const above = ["shared_setting = load_everything()", "other_setting = load_nothing()", ""];
    const content = text("before = 1", ...above, file, ...body, "", "after = 2");
    const old = text(...above, wrote, ...body);
    expect(replaceText(content, old, old.replace(from, to), { seen: true })).toMatchObject({ ok: false });
  });
});

it("the branch behind `else` belongs to the condition above it", () => {
  const body = ["  open(user);", "} else {", "  refuse(user);", "  log(user, reason);", "}"];
  const content = text("start();", "", "if (isAdmin(user)) {", ...body);
  const old = text("if (isGuest(user)) {", ...body);
  expect(replaceText(content, old, old.replace("reason", "why"), { seen: true })).toMatchObject({ ok: false });
});

it("a head below the change may differ, and so may quotes and letters that changed places in one above it", () => {
  const body = ["  list.push(entry.first);", "  for (const entry of entries) {", "    list.push(entry);", "  }", "}"];
  const content = text("start();", "", 'async function collect(entries, mode = "all") {', ...body);
  const edited = (old: string) => replaceText(content, old, old.replace("entry.first", "entry.last"), { seen: true });
  const text0 = content.slice(content.indexOf("async"));
  const right = { ok: true, text: content.replace("entry.first", "entry.last") };
  expect(edited(text0.replace("of entries", "in entries.values"))).toMatchObject(right);
  expect(edited(text0.replace("asyn", "asny").replace('"all"', "'all'"))).toMatchObject(right);
  expect(edited(text0.replace("collect", "gather"))).toMatchObject({ ok: false });
});
