// Reads of a storage of deepagents: pages of a text, which count as shown, or all bytes of anything else.
import { counted } from "../../core/counted.ts";
import { Refusal } from "../../core/failure.ts";
import { bytesOf } from "../../core/version.ts";
import { splitLines } from "../../edit/text/lines.ts";
import type { CallOptions, Session } from "../../kernel/session.ts";
import { displayable } from "../../kernel/text/text.ts";
import type { Page } from "./deepagents-types.ts";
import { mediaTypeOf } from "./media-types.ts";

/** A page that deepagents hands on to the model as it is, unless it is told to cut earlier. */
export const PAGE_BYTES = 60_000;
/** Of more bytes it hands on nothing. It counts them by their base64, which stands for three at a time. */
const HANDED_ON_BYTES = 10_485_760;
/** What deepagents says of an empty file. */
const EMPTY = "System reminder: File exists but has empty contents";

export async function page(
  session: Session,
  path: string,
  { offset, limit, pageBytes }: { readonly offset: number; readonly limit: number; readonly pageBytes: number },
  call: CallOptions,
): Promise<Page> {
  if (limit <= 0)
    throw new Refusal("invalid_input", `limit is ${limit}, so there is nothing to show.`, {
      path,
      next: "Ask for one line or more.",
    });
  const from = offset + 1;
  const range = { from, to: from + limit - 1 };
  const read = await session.read(path, range, { ...call, pageBytes }).catch((error: unknown) => {
    if (error instanceof Refusal && (error.kind === "binary_file" || error.kind === "not_text")) return undefined;
    throw error;
  });
  if (read === undefined) return whole(session, path, call);
  // A line that does not fit is given as a whole: there would be no way to ask for its rest. deepagents cuts it, so only
  // what surely arrives counts as shown.
  const {
    body,
    lines: totalLines,
    shown,
  } = read.nextColumn === undefined ? read : await session.read(path, { from, to: from }, { ...call, mark: false });
  if (totalLines === 0) return { content: EMPTY, mimeType: "text/plain" };
  if (shown.to < shown.from)
    throw new Refusal("line_out_of_range", `The file has ${counted(totalLines, "line")}.`, {
      path,
      next: "Use a smaller offset.",
    });
  return {
    content: splitLines(body)
      .map(({ text }) => displayable(text))
      .join("\n"),
    mimeType: "text/plain",
    totalLines,
    startLine: shown.from,
    endLine: shown.to,
    ...(shown.to < totalLines && { nextOffset: shown.to }),
  };
}

async function whole(session: Session, path: string, call: CallOptions): Promise<Page> {
  const { at, version } = await session.readBytes(path, call);
  const handedOn = Math.ceil(version.size / 3) * 3 <= HANDED_ON_BYTES;
  if (handedOn) await session.showed(at.path, version);
  return { content: bytesOf(version), mimeType: mediaTypeOf(path) ?? "application/octet-stream" };
}
