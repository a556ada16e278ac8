// A picture before and after.
import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import type { FileTold } from "../../wire.ts";
import { askPicture } from "../api.ts";
import { name, size } from "../shown.ts";
import { heed, refusedOf } from "../state/said.ts";

export function Pictures({ w, file }: { readonly w: string; readonly file: FileTold }): JSX.Element {
  const { path, movedFrom = path, before, after, beforeSize, afterSize } = file;
  const one = (what: string, at: string, sha: string | null, bytes: number): JSX.Element => (
    <figure>
      {sha === null ? (
        <div class="nothing">nothing</div>
      ) : (
        <Loading key={sha} w={w} path={at} sha={sha} alt={`${name(at)} ${what}`} />
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

interface LoadingProps {
  readonly w: string;
  readonly path: string;
  readonly sha: string;
  readonly alt: string;
}

function Loading({ w, path, sha, alt }: LoadingProps): JSX.Element {
  const address = useSignal<string | undefined>(undefined);
  const why = useSignal("…");
  useEffect(() => {
    const stop = new AbortController();
    let made: string | undefined;
    askPicture({ w, path, sha }, stop.signal).then(
      (picture) => {
        if (stop.signal.aborted) return;
        made = URL.createObjectURL(picture);
        address.value = made;
      },
      (error: unknown) => {
        if (!stop.signal.aborted && !heed(error)) why.value = refusedOf(error).message;
      },
    );
    return () => {
      stop.abort();
      if (made !== undefined) URL.revokeObjectURL(made);
    };
  }, [w, path, sha]);
  if (address.value === undefined) return <div class="nothing">{name(why.value)}</div>;
  return <img src={address.value} alt={alt} />;
}
