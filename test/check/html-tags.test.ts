// The first tag that does not match, and what may be left out.
import { checkEdit, syntaxErrors } from "stet/check";
import { describe, expect, it } from "vitest";

const errorsIn = async (text: string) => (await syntaxErrors("a.html", text))?.errors ?? null;

it.each([
  ["<b>a\n", 1, "<b> is never closed"],
  ["<div><b>\n</div>\n", 1, "<b> is not closed before </div> of line 2"],
  ["<div>\n</div></b>\n", 2, "</b> closes nothing"],
  ["<b>{{ name }}", 1, "<b> is never closed"],
])("%j: line %d, %s", async (text, line, message) => {
  expect(await errorsIn(text)).toMatchObject([{ line, message: expect.stringContaining(message) }]);
});

it.each([
  "<B>a</b>",
  "<ul><li>a<li>b</ul>",
  "<br><img src='>'><input disabled></br>",
  "<!-- <b> --><![CDATA[<b>]]><!DOCTYPE b>",
  "<style>a > b { }</style><title><b></title>",
])("%j matches", async (text) => {
  expect(await errorsIn(text)).toEqual([]);
});

it.each(["<b>{% if a %}</b>{% endif %}</b>", "<b><?php if (a): ?>"])("%j is not judged", async (text) => {
  expect(await errorsIn(text)).toBeNull();
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
