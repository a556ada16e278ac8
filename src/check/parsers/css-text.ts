// CSS as its grammar knows it: what it takes for an error although it is none is overwritten. Lines and columns stay.

/** Braces and escaped quotes in texts, and ranges in media queries. */
export function knownCss(text: string): string {
  return text
    .replaceAll(COMMENT_OR_TEXT, (comment: string, quoted?: string) =>
      quoted === undefined ? comment : quoted.replaceAll(/(?<=.)[^\r\n](?=.)/gs, "_"),
    )
    .replaceAll(QUERY, (query) =>
      query.replaceAll(RANGE, (range) => `(a:0${range.slice(4, -1).replaceAll(/[^\r\n]/g, " ")})`),
    );
}

const COMMENT_OR_TEXT = /\/\*.*?\*\/|("(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')/gs;
const QUERY = /@(?:media|container)\b[^{};]*/g;
// `(width >= 600px)`, `(400px <= width <= 700px)`.
const RANGE = /\((?=[^()]*[\w)]\s*[<>]=?\s*[\w-])[^()\r\n]{3}[^()]*\)/g;
