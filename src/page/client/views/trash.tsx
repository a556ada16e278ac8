// Deleted files, and the way back for each.
import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import type { AppliedAnswer, TrashAnswer, TrashLine } from "../../wire.ts";
import { ask, tell } from "../api.ts";
import { Button } from "../parts/button.tsx";
import { Empty, WhileLoading } from "../parts/states.tsx";
import { name, shortTime, size } from "../shown.ts";
import { about, mayChange } from "../state/about.ts";
import { useLoaded } from "../state/loaded.ts";
import { complain, say } from "../state/said.ts";
import { useNews } from "../state/timeline.ts";

export function TrashView(): JSX.Element {
  return (
    <section class="detail" id="detail" tabIndex={-1} aria-label="Detail">
      <header class="head">
        <h2>Deleted files</h2>
        <p>Their bytes are kept. A file comes back where it was, and never over one that is there.</p>
      </header>
      <div class="scrolls">
        {(about.value?.workspaces ?? []).map(({ w }) => (
          <TrashOf key={w} w={w} />
        ))}
      </div>
    </section>
  );
}

function TrashOf({ w }: { readonly w: string }): JSX.Element {
  const turn = useNews(w, (line) => line.w === w && line.outcome !== "refused");
  const loaded = useLoaded(w, (signal) => ask<TrashAnswer>("trash", { w }, signal), turn);
  return (
    <WhileLoading loaded={loaded}>
      {({ items, more }) =>
        items.length === 0 ? (
          <Empty>Nothing is deleted in {name(w)}.</Empty>
        ) : (
          <table class="list">
            <caption>{name(w)}</caption>
            <thead>
              <tr>
                <th scope="col">file</th>
                <th scope="col">size</th>
                <th scope="col">deleted</th>
                <th scope="col">by</th>
                <th scope="col">
                  <span class="hidden">what can be done</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {items.map((item) => (
                <TrashRow key={item.id} w={w} item={item} />
              ))}
              {more ? (
                <tr>
                  <td colSpan={5}>There are more: stet trash list shows all.</td>
                </tr>
              ) : null}
            </tbody>
          </table>
        )
      }
    </WhileLoading>
  );
}

function TrashRow({ w, item }: { readonly w: string; readonly item: TrashLine }): JSX.Element {
  const busy = useSignal(false);
  const restore = async (): Promise<void> => {
    busy.value = true;
    try {
      const { entry } = await tell<AppliedAnswer>("restore", { w, id: item.id });
      say(`${name(item.path)} is back, as entry ${entry}.`);
    } catch (error) {
      complain(error);
    } finally {
      busy.value = false;
    }
  };
  return (
    <tr>
      <td>{name(item.path)}</td>
      <td>{size(item.size)}</td>
      <td>{shortTime(item.deletedAt)}</td>
      <td>
        {name(item.agent ?? "unnamed")} <small>{name(item.tool)}</small>
      </td>
      <td>
        {mayChange(w) ? (
          <Button disabled={busy.value} onClick={() => restore()}>
            Bring back
          </Button>
        ) : null}
      </td>
    </tr>
  );
}
