// The first tag that does not match, and what may be left out.
import { describe, expect, it } from "vitest";
import { checkEdit, syntaxErrors } from "../../src/check/index.ts";
import { htmlFindings } from "../../src/check/parsers/html-tags.ts";

const said = (text: string): string | undefined => {
  const [first] = htmlFindings(text) ?? [];
  return first && `${first.line}: ${first.message}${first.endLine === undefined ? "" : ` (to ${first.endLine})`}`;
};

it.each([
  ["<b>a\n", "1: <b> is never closed"],
  ["<div><b>\n</div>\n", "1: <b> is not closed before </div> of line 2 (to 2)"],
  ["<div>\n</div></b>\n", "2: </b> closes nothing"],
  ["<ul><li>a</ul></ul>", "1: </ul> closes nothing"],
  ["<script>'</b>'</script><b>", "1: <b> is never closed"],
  ["<ul>\n<li><b>a</li>\n</ul>", "2: <b> is not closed before </ul> of line 3 (to 3)"],
])("%j: %s", (text, expected) => {
  expect(said(text)).toBe(expected);
});

it.each([
  "<b></b>",
  "<B>a</b>",
  "<ul><li>a<li>b</ul>",
  "<p><ul></ul></p>",
  "<br><img src='>'><input disabled></br>",
  "<a/><b>x</b>",
  "<!-- <b> --><![CDATA[<b>]]><!DOCTYPE b>",
  '<a title="<b>">x</a>',
  "<style>a > b { }</style><title><b></title>",
  "<table><tr><td>a<tr><td>b</table>",
])("%j matches", (text) => {
  expect(htmlFindings(text)).toEqual([]);
});

it.each(["<b>{% if a %}</b>{% endif %}</b>", "<b><?php if (a): ?>", "{{#if a}}<b>{{/if}}", "<b>".repeat(401)])(
  "%.40s is not judged",
  (text) => {
    expect(htmlFindings(text)).toBeNull();
  },
);

it("a place for a value is no reason not to judge, nor are four hundred open tags", () => {
  expect(said("<b>{{ name }}")).toBe("1: <b> is never closed");
  expect(htmlFindings("<b>".repeat(400) + "</b>".repeat(400))).toEqual([]);
});

describe("tags of XML and of Vue", () => {
  const XML =
    '<?xml version="1.0"?>\n<!DOCTYPE a [ <!ENTITY b "c"> ]>\n<a>\n  <li x="1 > 2">one</li>\n  <Li/>\n  <![CDATA[ <d> ]]>\n</a>\n';
  const VUE =
    '<template>\n  <div v-if="a > b" @click="c">\n    <br>\n    <My-List :of="d" />\n    {{ a < b }}\n  </div>\n</template>\n\n<script setup lang="ts">\nconst a = b<C>("</div>");\n</script>\n';
  const messages = async (path: string, before: string, after: string) =>
    (await checkEdit({ path, before, after })).map(({ severity, message }) => `${severity} ${message}`);

  it.each([
    ["a.xml", XML, "</li>", "", "<li> is not closed before </a> of line 7 (stet's check of XML's tags)"],
    ["a.svg", XML, "</li>", "</Li>", "</Li> closes nothing (stet's check of XML's tags)"],
    ["a.csproj", XML, "</a>", "", "<a> is never closed (stet's check of XML's tags)"],
    ["a.vue", VUE, "  </div>\n", "", "<div> is not closed before </template> of line 6 (stet's check of Vue's tags)"],
    ["a.vue", VUE, "<br>", "<li>x", "<li> is not closed before </div> of line 6 (stet's check of Vue's tags)"],
  ])("%s: %#", async (path, before, from, to, said) => {
    expect(await syntaxErrors(path, before)).toMatchObject({ errors: [] });
    const message = `suspicious the file parsed before this edit and does not parse after it: ${said}`;
    const [first] = await messages(path, before, before.replace(from, to));
    expect(first).toBe(message);
  });

  it("are not judged in a template of another language", async () => {
    expect(await syntaxErrors("a.vue", '<template lang="pug">\ndiv\n  <p\n</template>\n')).toBeNull();
    expect(await syntaxErrors("a.xml", "{% if x %}<a>{% endif %}\n")).toBeNull();
  });
});
