// Seed 002, fuzzy block: "refused where a function or class has another name": in whatever language it is declared, and
// so for routes, keys, selectors and sections. The file has only the one that is not meant.
import { describe, expect, it } from "vitest";
import { textAt } from "../../src/testing/assertions.ts";
import { BACKENDS } from "../support/workspace.ts";
import { opened } from "./002-calling.ts";

const [, memory] = BACKENDS[0]!;
const BRACED = ["total = 0;", "for (i = 0; i < n; i++) {", "  total += values[i] * weight;", "}", "audit(total);"];
const PLAIN = ["total = 0", "if total is None:", "  abort(404)", "audit(total)", "log(total)"];
const RULES = ["color: white;", "padding: 4px 8px;", "border-radius: 4px;", "font-weight: bold;", "margin: 0;"];
const PAIRS = ["host: localhost", "port: http", "timeout: short", "retries: many", "zone: europe"];

const OTHERS: readonly (readonly [where: string, inFile: string, wrote: string, body: string[], end: string])[] = [
  ["Go method", "func (s *Store) Get(id string) int {", "func (s *Store) Put(id string) int {", BRACED, "}"],
  ["Go receiver", "func (s *Store) Get(id string) int {", "func (s *Cache) Get(id string) int {", BRACED, "}"],
  ["C function", "static int sum_rows(int *values, int n) {", "static int sum_cols(int *values, int n) {", BRACED, "}"],
  ["C, brace below", "char *sum_rows(int *values)\n{", "char *sum_cols(int *values)\n{", BRACED, "}"],
  ["C++ method", "int Store::rows(int *values) {", "int Store::cols(int *values) {", BRACED, "}"],
  ["Java method", "public List<T> readAll(int n) throws E {", "public List<T> loadAll(int n) throws E {", BRACED, "}"],
  ["TypeScript method", "async fetchUser(id: string) {", "async removeUser(id: string) {", BRACED, "}"],
  ["arrow function", "export const getUser = (id) => {", "export const putUser = (id) => {", BRACED, "};"],
  ["function in an object", "getUser: async (id) => {", "putUser: async (id) => {", BRACED, "},"],
  ["route", 'app.get("/users", async (req, res) => {', 'app.get("/teams", async (req, res) => {', BRACED, "});"],
  ["verb of a route", 'app.get("/users", (req, res) => {', 'app.put("/users", (req, res) => {', BRACED, "});"],
  ["test", 'it("returns the user", () => {', 'it("returns the team", () => {', BRACED, "});"],
  ["case", 'case "start": {', 'case "pause": {', BRACED, "}"],
  ["Rust impl", "impl Display for Circle {", "impl Display for Square {", BRACED, "}"],
  ["Kotlin extension", "fun String.toUser(id: Int): User {", "fun String.toTeam(id: Int): User {", BRACED, "}"],
  ["shell function", "start_server() {", "status_check() {", BRACED, "}"],
  ["Ruby method", "def self.load(id)", "def self.save(id)", PLAIN, "end"],
  ["Lua function", "function M.load(id)", "function M.save(id)", PLAIN, "end"],
  ["Python decorator", '@route("/users")\ndef show():', '@route("/teams")\ndef show():', PLAIN, "# end"],
  ["selector", ".btn-primary {", ".btn-warning {", RULES, "}"],
  ["mixin", "@mixin card($x) {", "@mixin tile($x) {", RULES, "}"],
  ["YAML key", "deploy:", "docker:", PAIRS, "# end"],
  ["TOML table", "[server.http]", "[server.grpc]", PAIRS, "# end"],
  ["JSON key", '"dev": {', '"prd": {', PAIRS, "}"],
  ["Terraform", 'resource "aws_instance" "web" {', 'resource "aws_instance" "api" {', PAIRS, "}"],
  ["SQL table", "CREATE TABLE users (", "CREATE TABLE teams (", PAIRS, ");"],
  ["Markdown section", "## Install on Linux", "## Install on macOS", PAIRS, "The end."],
];

describe("seed 002: a fuzzy block is refused where the block has another name", () => {
  it.each(OTHERS)("%s", async (_where, inFile, wrote, body, end) => {
    const inner = body.map((line) => `  ${line}`).join("\n");
    const file = `first line of the file\n\n${inFile}\n${inner}\n${end}\n\nlast line of the file\n`;
    const { ok, refused, workspace } = opened(memory, { a: file });
    await ok("Read", { file_path: "a" });
    const old_string = `${wrote}\n${inner}\n${end}\n`;
    const last = body.at(-1)!;
    await refused("Edit", { file_path: "a", old_string, new_string: old_string.replace(last, `${last} changed`) });
    expect(await textAt(workspace.backend, "a")).toBe(file);
  });

  it.each([
    ["a parameter", "async fetchUser(id: string) {", "async fetchUser(key: string) {"],
    ["a word that only one has", "export async function fetchUser(id) {", "async function fetchUser(id) {"],
    ["the name of a result", "const rows = await client.send({", "const result = await client.send({"],
    ["a loop", "for (const item of items) {", "for (const it of items) {"],
  ])("but not where %s differs", async (_what, inFile, wrote) => {
    const inner = BRACED.map((line) => `  ${line}`).join("\n");
    const file = `first line of the file\n\n${inFile}\n${inner}\n}\n\nlast line of the file\n`;
    const { ok, workspace } = opened(memory, { a: file });
    await ok("Read", { file_path: "a" });
    const old_string = `${wrote}\n${inner}\n}\n`;
    await ok("Edit", { file_path: "a", old_string, new_string: old_string.replace("audit(total);", "audit(0);") });
    expect(await textAt(workspace.backend, "a")).toBe(file.replace("audit(total);", "audit(0);"));
  });

  it.each([
    ["a slip where nothing has that name", "last line of the file", true],
    ["another name where the file has it elsewhere", "fetchRecrds();", false],
  ])("a letter missing in the name is %s", async (_what, last, applies) => {
    const inner = BRACED.map((line) => `  ${line}`).join("\n");
    const file = `first line of the file\n\nasync fetchRecords(id) {\n${inner}\n}\n\n${last}\n`;
    const { ok, refused, workspace } = opened(memory, { a: file });
    await ok("Read", { file_path: "a" });
    const old_string = `async fetchRecrds(id) {\n${inner}\n}\n`;
    const input = { file_path: "a", old_string, new_string: old_string.replace("audit(total);", "audit(0);") };
    await (applies ? ok("Edit", input) : refused("Edit", input));
    expect(await textAt(workspace.backend, "a")).toBe(applies ? file.replace("audit(total);", "audit(0);") : file);
  });

  it("nor is a line with other numbers taken for a slip", async () => {
    const step = (version: string) =>
      `    - os: linux\n      dist: xenial\n      python: "${version}"\n      arch: amd64\n`;
    const file = `matrix:\n  include:\n${step("2.7")}`;
    const { ok, refused } = opened(memory, { a: file });
    await ok("Read", { file_path: "a" });
    const old_string = step("3.6");
    await refused("Edit", { file_path: "a", old_string, new_string: old_string.replace("amd64", "arm64") });
  });
});
