// The figures of the README are those of bench/RESULTS.md: after a new run they have to be brought over.
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const read = (path: string): string => readFileSync(fileURLToPath(new URL(`../${path}`, import.meta.url)), "utf8");
const readme = read("README.md");
const results = read("bench/RESULTS.md");
const section = (title: string): string => results.split(`\n## ${title}\n`)[1]!.split(/\n## /)[0]!;
const cells = (line: string): string[] => line.split("|").map((cell) => cell.replaceAll("*", "").trim());

/** Of the one line of the README's table that begins so: what is told of stet, and of the others. */
function told(start: string): readonly [stet: string, others: string] {
  const line = readme.split("\n").find((each) => each.startsWith(`| ${start}`))!;
  return [cells(line)[2]!, cells(line)[3]!];
}

it("trust", () => {
  const lines = section("Trust")
    .split("\n")
    .filter((line) => line.startsWith("| "));
  const totals = lines.findIndex((line) => line.includes("**wrong or lost**"));
  const names = cells(lines[0]!);
  const bad = cells(lines[totals]!).flatMap((cell, n) =>
    /^\d+$/.test(cell) ? [{ name: names[n]!, bad: Number(cell) }] : [],
  );
  const others = bad.filter(({ name }) => !name.startsWith("stet"));
  expect(others).toHaveLength(7);
  expect(told(`${totals - 1} cases of trust`)).toEqual([
    "0 on each of five surfaces",
    `${span(others.map((each) => each.bad))} for each of the others`,
  ]);
  expect(bad.filter(({ name }) => name.startsWith("stet")).map((each) => each.bad)).toEqual([0, 0, 0, 0, 0]);
});

it("edits", () => {
  const rows = section("Edit quality")
    .split("\n")
    .map(cells)
    .filter((row) => /^[\d.]+ %$/.test(row[3] ?? ""));
  const figures = rows.map(([, name, , right, , wrong]) => ({
    name: name!,
    right: Number.parseFloat(right!),
    wrong: Number(wrong),
  }));
  const of = (name: string) => figures.find((each) => each.name === name)!;
  const share = (name: string) => `${Math.round(of(name).right)} % / ${of(name).wrong}`;
  const others = figures.filter(({ name }) => !/^(?:stet|exact)/.test(name));
  const [stet, beside] = told("edits with the slips of models");
  expect(stet).toBe(`${share("stet-seen")} with proof, ${share("stet")} without`);
  expect(beside).toBe(
    `${span(others.map(({ right }) => Math.round(right)))} % / ${span(others.map(({ wrong }) => wrong))}`,
  );
  expect(section("Edit quality")).toMatch(/\n1200 edits .*\(generated from node_modules, seed \d+\), judged/);
});

it("grep", () => {
  const ratios = (what: string) =>
    [...section("Search beside ripgrep").matchAll(new RegExp(`${what}: .* ratio ([\\d.]+)`, "g"))].map(([, ratio]) =>
      Number(ratio),
    );
  const all = ratios("all hits beside bare rg").map((ratio) => Number(ratio.toFixed(1)));
  const first = ratios("the first 250 beside all");
  expect(all).toHaveLength(3);
  expect(told("grep of 50,000 files")[0]).toBe(`${span(all)} × bare ripgrep / ${span(first)} × all`);
});

it("the server", () => {
  const lines = section("MCP server beside the reference server").split("\n");
  const medians = (start: string) => {
    const line = lines.find((each) => each.startsWith(start))!;
    return [...line.matchAll(/: ([\d.]+) \[/g)].map(([, median]) => Number(median));
  };
  const [start, startOther] = medians("start to first result, stet");
  expect(told("MCP server, start")[0]).toBe(`${start} ms`);
  expect(told("MCP server, start")[1]).toContain(`${startOther} ms, the reference filesystem server`);
  const [found, foundOther] = medians("find by name");
  const [memory, memoryOther] = medians("memory after");
  expect(told("… find by name")).toEqual([
    `${found} a second, ${Math.round(memory!)} MiB`,
    `${foundOther} a second, ${Math.round(memoryOther!)} MiB`,
  ]);
  const [one, many] = [medians("read 1 KB, 1 at"), medians("read 1 KB, 16 at")];
  expect(told("… read 1 KB")[0]).toBe(`${english(one[0]!)} / ${english(many[0]!)} a second`);
  expect(told("… read 1 KB")[1]).toMatch(new RegExp(`^${english(one[1]!)} / ${english(many[1]!)}\\b`));
  const [full, fast] = [medians("edit 1 line of 1 KB, stet, full"), medians("edit 1 line of 1 KB, stet, fast")];
  expect(told("… edit, flushed")[0]).toBe(`${english(full[0]!)} / ${english(fast[0]!)} a second`);
  expect(told("… edit, flushed")[1]).toMatch(new RegExp(`^${english(full[1]!)} / ${english(fast[1]!)}\\b`));
});

function span(values: readonly number[]): string {
  return `${Math.min(...values)} to ${Math.max(...values)}`;
}

function english(value: number): string {
  return value.toLocaleString("en");
}
