// The documentation tells the truth: its calls are made again, its tables have every tool and parameter, its links lead somewhere.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { MAX_MESSAGE_BYTES } from "stet/serve";
import { type AnyTool, inputSchema, type JsonSchema, surfaceNamed, surfaceNames } from "stet/surfaces";
import { describe, expect, it } from "vitest";
import { replayed } from "./support/transcript.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const read = (path: string): string => readFileSync(join(root, path), "utf8");
const pages = ["README.md", "SECURITY.md", "CONTRIBUTING.md", "bench/README.md", ...filesBelow("docs", ".md")];
const EFFECTS = { read: "read-only", write: "changes", destroy: "destructive" } as const;

describe.each(surfaceNames)("docs/surfaces/%s.md", (name) => {
  const path = join(root, `docs/surfaces/${name}.md`);
  const page = readFileSync(path, "utf8");
  const surface = surfaceNamed(name);

  it("shows what its calls answer (new answers: vitest run test/docs.test.ts -u)", async () => {
    expect(page.match(/^```answer$/gm)?.length).toBeGreaterThanOrEqual(3);
    await expect(await replayed(page, surface)).toMatchFileSnapshot(path);
  });

  it("has a section for every tool, and for nothing else", () => {
    const headings = [...page.matchAll(/^### `(\w+)` \(([\w-]+)\)$/gm)].map(([, tool, effect]) => [tool, effect]);
    expect(headings).toEqual(surface.tools.map((tool: AnyTool) => [tool.name, EFFECTS[tool.effect]]));
  });

  it.each(surface.tools.map((tool: AnyTool) => [tool.name, tool] as const))(
    "%s: every parameter with its default, and no other",
    (toolName, tool) => {
      const section = page.split(`### \`${toolName}\` `)[1]!.split(/^##/m)[0]!;
      const rows = section.split("\n").filter((line) => /^\| `/.test(line));
      const told = rows.flatMap((row) => [...row.split("|")[1]!.matchAll(/`([\w.[\]]+)`/g)].map(([, each]) => each!));
      const fields = fieldsOf(inputSchema({ ...tool, hidden: [] }));
      expect([...new Set(told)].sort()).toEqual([...new Set(fields.map(([field]) => field))].sort());
      for (const [field, { default: value }] of fields) {
        if (value === undefined || value === "") continue;
        const row = rows.find((each) => each.split("|")[1]!.includes(`\`${field}\``))!;
        expect(row).toContain(`| \`${typeof value === "object" ? JSON.stringify(value) : value}\` |`);
      }
    },
  );

  it("keeps apart what models see and what is hidden from them", () => {
    for (const tool of surface.tools as readonly AnyTool[]) {
      if (name === "files") continue; // one object, nested or flat
      const [, hidden = ""] = page.split(`### \`${tool.name}\` `)[1]!.split(/^##/m)[0]!.split("| *hidden* |");
      const told = [...hidden.matchAll(/^\| `(\w+)` \|/gm)].map(([, field]) => field);
      expect(told.sort()).toEqual([...(tool.hidden ?? [])].sort());
    }
  });
});

it("docs/mcp.md says how long a message may be", () => {
  expect(read("docs/mcp.md")).toContain(`more than ${MAX_MESSAGE_BYTES / 1024 / 1024} MiB`);
});

it("links in all pages lead somewhere, also those to a heading", () => {
  const broken = pages.flatMap((page) =>
    [...read(page).matchAll(/\]\(([^)\s]+)\)/g)]
      .map(([, target]) => target!)
      .filter((target) => !/^[a-z]+:/.test(target) && !leadsSomewhere(page, target))
      .map((target) => `${page}: ${target}`),
  );
  expect(broken).toEqual([]);
});

it("prose has lines of at most 120 characters", () => {
  const long = pages.flatMap((page) => {
    const prose = read(page).replace(/^( *)```[\s\S]*?^\1```$/gm, (block) => "\n".repeat(block.split("\n").length - 1));
    const lines = prose.split("\n").map((line, n) => ({ line, at: `${page}:${n + 1}` }));
    return lines.filter(({ line }) => [...line].length > 120 && !/^ *[|<]/.test(line)).map(({ at }) => at);
  });
  expect(long).toEqual([]);
});

it("sentences name what acts", () => {
  const vague = /\b(?:whoever|somebody|nobody|someone|no one)\b|\bof (?:his|their) own making\b/i;
  const found = [...pages, ...filesBelow("src", ".ts")].flatMap((file) =>
    read(file)
      .split("\n")
      .flatMap((line, n) => (vague.test(line) ? [`${file}:${n + 1}`] : [])),
  );
  expect(found).toEqual([]);
});

it("a sentence is taken in at once: no part of one has more than 40 words", () => {
  const found = pages.flatMap((page) =>
    partsOfSentences(read(page))
      .filter((part) => part.split(/\s+/).length > 40)
      .map((part) => `${page}: ${part.slice(0, 80)}`),
  );
  expect(found).toEqual([]);
});

/** Between full stops, colons and semicolons; an item of a list, a cell of a table and a paragraph each end one. */
function partsOfSentences(text: string): string[] {
  const blocks = text.replace(/```[\s\S]*?```/g, "").split(/\n\s*\n|\n(?=\s*(?:[-*#|]|\d+\.) )| \| /);
  return blocks.flatMap((block) => block.trim().split(/(?<=[.!?:;])\s+/));
}

/** Names as they stand in the tables; those within a list or an object carry its name. */
function fieldsOf(schema: JsonSchema): [string, JsonSchema][] {
  const properties = Object.entries((schema.properties ?? {}) as Record<string, JsonSchema>);
  return properties.flatMap(([name, field]): [string, JsonSchema][] => {
    const items = (field.items ?? {}) as JsonSchema;
    const within = fieldsOf(items).map(([each, of]): [string, JsonSchema] => [`${name}[].${each}`, of]);
    const ways = [field, ...((field.anyOf ?? []) as readonly JsonSchema[])];
    return [[name, field], ...within, ...ways.flatMap(fieldsOf)];
  });
}

function leadsSomewhere(page: string, target: string): boolean {
  const [path = "", heading] = target.split("#");
  const file = path === "" ? join(root, page) : join(root, dirname(page), path);
  if (!existsSync(file)) return false;
  return heading === undefined || headingsOf(readFileSync(file, "utf8")).includes(heading);
}

/** As GitHub makes them. */
function headingsOf(text: string): string[] {
  return [...text.matchAll(/^#+ (.*)$/gm)].map(([, title]) =>
    title!
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, "")
      .replaceAll(" ", "-"),
  );
}

function filesBelow(folder: string, ending: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(ending))
    .map((name) => relative(root, join(root, folder, name)));
}
