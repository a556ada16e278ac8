// The line above the diff of a file: what became of it, its name, how many lines, and what can be done.
import type { ComponentChildren, JSX } from "preact";
import type { FileTold } from "../../wire.ts";
import { name, size } from "../shown.ts";
import { Counts } from "./row.tsx";

const LETTERS = { A: "new", M: "changed", D: "deleted", R: "moved" } as const;

export function FileHead(props: { readonly file: FileTold; readonly children?: ComponentChildren }): JSX.Element {
  const { letter, path, movedFrom, diff, beforeSize, afterSize, others, proof } = props.file;
  const shown = movedFrom === undefined ? name(path) : `${name(movedFrom)} → ${name(path)}`;
  const sizes = [beforeSize, afterSize].filter((bytes) => bytes > 0).map(size);
  return (
    <div class="file-head">
      <span class={`letter ${letter}`}>{LETTERS[letter]}</span>
      <b class="path" title={shown}>
        {shown}
      </b>
      {"left" in diff ? <span class="stat">{sizes.join(" → ")}</span> : <Counts lines={diff} />}
      {proof === undefined ? null : <span class="stat">proof: {name(proof)}</span>}
      {others === "merged" ? <span class="stat">others changed it in between; their lines are left out</span> : null}
      {others === "included" ? <span class="stat warn">others changed the same lines; theirs are in here</span> : null}
      <span class="acts">{props.children}</span>
    </div>
  );
}
