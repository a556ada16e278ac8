// Puts a property into an object of a JSON text, or a value in the place of another; every other character stays where it is.
import type { Node } from "jsonc-parser";

export interface Style {
  readonly eol: string;
  /** One step of indentation. */
  readonly unit: string;
  /** All on one line, as programs write it. */
  readonly inline: boolean;
}

/** As the text itself has it. */
export function styleOf(text: string): Style {
  const unit = /^([ \t]+)["}]/m.exec(text)?.[1] ?? "  ";
  const inline = text.trim() !== "{}" && !/[\r\n]/.test(text.trim());
  return { eol: text.includes("\r\n") ? "\r\n" : "\n", unit: unit.startsWith("\t") ? "\t" : unit, inline };
}

/** At the end of the object, behind the comments there; the comma goes to the property it belongs to. */
export function insertProperty(text: string, object: Node, key: string, value: unknown, style: Style): string {
  const last = object.children?.at(-1);
  const close = object.offset + object.length - 1;
  const from = last === undefined ? object.offset + 1 : last.offset + last.length;
  const { end, hasComma } = endOfContent(text, from, close);
  const comma = last === undefined || hasComma ? "" : ",";
  return [
    text.slice(0, from),
    comma,
    text.slice(from, end),
    propertyText(text, object, { key, value, end, close }, style),
    text.slice(end),
  ].join("");
}

export function replaceValue(text: string, old: Node, value: unknown, style: Style): string {
  const indent = indentAt(text, old.offset);
  return text.slice(0, old.offset) + valueText(value, indent, style) + text.slice(old.offset + old.length);
}

interface Property {
  readonly key: string;
  readonly value: unknown;
  readonly end: number;
  readonly close: number;
}

function propertyText(text: string, object: Node, { key, value, end, close }: Property, style: Style): string {
  const first = object.children?.[0];
  const isOneLine = !/[\r\n]/.test(text.slice(object.offset, close));
  const name = `${JSON.stringify(key)}: `;
  if (isOneLine && (first !== undefined || style.inline)) {
    return `${first === undefined ? "" : " "}${name}${JSON.stringify(value)}`;
  }
  const outer = indentAt(text, object.offset);
  const indent =
    first !== undefined && startsLine(text, first.offset) ? indentAt(text, first.offset) : outer + style.unit;
  const closing = /[\r\n]/.test(text.slice(end, close)) ? "" : style.eol + outer;
  return `${style.eol}${indent}${name}${valueText(value, indent, style)}${closing}`;
}

function valueText(value: unknown, indent: string, { eol, unit, inline }: Style): string {
  return inline ? JSON.stringify(value) : JSON.stringify(value, null, unit).replaceAll("\n", eol + indent);
}

/** Behind the last comma or comment before the brace: there is nothing else. */
function endOfContent(text: string, from: number, close: number): { readonly end: number; readonly hasComma: boolean } {
  let end = from;
  let hasComma = false;
  for (const { 0: part, index } of text.slice(from, close).matchAll(/,|\/\/[^\r\n]*|\/\*[\s\S]*?\*\//g)) {
    if (part === ",") hasComma = true;
    end = from + index + part.length;
  }
  return { end, hasComma };
}

function startsLine(text: string, offset: number): boolean {
  return /(?:^|[\r\n])[ \t]*$/.test(text.slice(0, offset));
}

/** Of the line that holds this place. */
function indentAt(text: string, offset: number): string {
  const line = text
    .slice(0, offset)
    .split(/[\r\n]/)
    .at(-1)!;
  return /^[ \t]*/.exec(line)![0];
}
