// write: a whole text, for a new file or in place of the old one.
import { printable } from "../../../core/printable.ts";
import type { Outcome } from "../outcome.ts";
import type { WriteParams } from "../params.ts";
import type { Place } from "../place.ts";
import { change } from "./change.ts";

export async function write(place: Place, { file_path: path, content }: WriteParams): Promise<Outcome> {
  const size = { what: "File content exceeds", advice: "Consider breaking the content into smaller files" };
  await change(
    place,
    { path, action: "write", size },
    () => ({ body: content }),
    place.mode === "store" ? { details: { key: path } } : {},
  );
  const summary = `Updated file ${printable(path)}`;
  return { plain: summary, typed: { path, summary } };
}
