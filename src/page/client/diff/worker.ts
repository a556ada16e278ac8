// Colours for lines of code, made beside the page so that scrolling never waits for them.
import bash from "highlight.js/lib/languages/bash";
import cpp from "highlight.js/lib/languages/cpp";
import css from "highlight.js/lib/languages/css";
import go from "highlight.js/lib/languages/go";
import ini from "highlight.js/lib/languages/ini";
import java from "highlight.js/lib/languages/java";
import javascript from "highlight.js/lib/languages/javascript";
import json from "highlight.js/lib/languages/json";
import markdown from "highlight.js/lib/languages/markdown";
import python from "highlight.js/lib/languages/python";
import rust from "highlight.js/lib/languages/rust";
import sql from "highlight.js/lib/languages/sql";
import typescript from "highlight.js/lib/languages/typescript";
import xml from "highlight.js/lib/languages/xml";
import yaml from "highlight.js/lib/languages/yaml";
import { createLowlight } from "lowlight";

const ALL = { bash, cpp, css, go, ini, java, javascript, json, markdown, python, rust, sql, typescript, xml, yaml };
const low = createLowlight(ALL);

export type Token = readonly [colour: string, text: string];

interface Asked {
  readonly language: string;
  readonly lines: readonly string[];
}

interface Node {
  readonly value?: string;
  readonly children?: readonly Node[];
  readonly properties?: { readonly className?: readonly string[] };
}

addEventListener("message", ({ data }: MessageEvent<Asked>) => {
  const { language, lines } = data;
  const tokens = lines.map((line) => tokensOf(line, language));
  (postMessage as (message: unknown) => void)({ language, lines, tokens });
});

const LONGEST = 2000;

function tokensOf(line: string, language: string): Token[] {
  if (line.length > LONGEST || !low.registered(language)) return [["", line]];
  const tokens: Token[] = [];
  const walk = (node: Node, colour: string): void => {
    if (node.value !== undefined) tokens.push([colour, node.value]);
    const own = node.properties?.className?.join(" ") ?? colour;
    for (const child of node.children ?? []) walk(child, own);
  };
  walk(low.highlight(language, line) as unknown as Node, "");
  return tokens;
}
