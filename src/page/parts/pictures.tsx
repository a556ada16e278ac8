// A picture before and after.
import type { JSX } from "preact";
import { addressOf } from "../api.ts";
import { name, size } from "../shown.ts";
import type { FileTold } from "../wire.ts";

export function Pictures({ w, file }: { readonly w: string; readonly file: FileTold }): JSX.Element {
  const { path, movedFrom = path, before, after, beforeSize, afterSize } = file;
  const one = (what: string, at: string, sha: string | null, bytes: number): JSX.Element => (
    <figure>
      {sha === null ? (
        <div class="nothing">nothing</div>
      ) : (
        <img src={addressOf("picture", { w, path: at, sha })} alt={`${name(at)} ${what}`} />
      )}
      <figcaption>
        {what}
        {sha === null ? "" : `, ${size(bytes)}`}
      </figcaption>
    </figure>
  );
  return (
    <div class="pictures">
      {one("before", movedFrom, before, beforeSize)}
      {one("after", path, after, afterSize)}
    </div>
  );
}
