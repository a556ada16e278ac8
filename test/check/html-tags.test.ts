// HTML: the first tag that does not match, and what may be left out.
import { expect, it } from "vitest";
import { htmlFindings } from "../../src/check/html-tags.ts";

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
