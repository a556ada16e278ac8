// The timeline: newest first, live, as far back as the reader goes.
import type { ComponentChildren, JSX } from "preact";
import { useMemo } from "preact/hooks";
import type { EntryLine } from "../../wire.ts";
import { Button } from "../parts/button.tsx";
import { Filters } from "../parts/filters.tsx";
import { idOf, Row } from "../parts/row.tsx";
import { Failed } from "../parts/states.tsx";
import { Virtual } from "../parts/virtual.tsx";
import { dayOf, name, plural, short } from "../shown.ts";
import { about } from "../state/about.ts";
import { live } from "../state/live.ts";
import { mark } from "../state/review.ts";
import { clearFilters, isFiltered, open, route } from "../state/route.ts";
import { again, arrived, askAnew, before, entries, failed, loading, loadMore, troubles } from "../state/timeline.ts";

const ROW = 52;
const HEADING = 30;

/** The heading of a day or of a session in it, or an entry. */
type Item = { readonly heading: ComponentChildren } | { readonly entry: number };

function itemsOf(all: readonly EntryLine[]): Item[] {
  return all.flatMap((line, entry) => {
    const last = all[entry - 1];
    const day = dayOf(line.at);
    const isNewDay = last === undefined || dayOf(last.at) !== day;
    const isSame = !isNewDay && last.w === line.w && who(last) === who(line);
    const headings = [...(isNewDay ? [<h2>{day}</h2>] : []), ...(isSame ? [] : [<b>{who(line)}</b>])];
    return [...headings.map((heading) => ({ heading })), { entry }];
  });
}

function who({ outcome, agent, session }: EntryLine): string {
  return outcome === "external" ? "another program" : `${name(agent ?? "unnamed")}, session ${short(session)}`;
}

export function Timeline(): JSX.Element {
  const all = entries.value;
  const at = chosenIndex();
  const chosen = all[at];
  const several = (about.value?.workspaces.length ?? 0) > 1;
  const today = dayOf(new Date().toISOString());
  const { items, rows, height } = useMemo(() => {
    const items = itemsOf(all);
    const rows = items.flatMap((item, row) => ("entry" in item ? [row] : []));
    return { items, rows, height: (row: number) => ("entry" in items[row]! ? ROW : HEADING) };
  }, [all, today]);
  return (
    <section class="timeline-side" aria-label="Timeline">
      <Filters />
      <Troubles />
      {all.length === 0 ? (
        <Nothing />
      ) : (
        <Virtual
          class="timeline"
          role="listbox"
          label={`Entries, ${plural(all.length, "loaded", "loaded")}`}
          count={items.length}
          height={height}
          active={chosen === undefined ? undefined : idOf(chosen)}
          shown={rows[at]}
          before={arrived.value}
          rowOf={(entry) => rows[Math.min(entry, rows.length - 1)] ?? 0}
          onEnd={() => void loadMore()}
          row={(index) => {
            const item = items[index]!;
            if ("heading" in item)
              return (
                <div key={index} class="heading" role="presentation">
                  {item.heading}
                </div>
              );
            const line = all[item.entry]!;
            const isChosen = item.entry === at;
            return (
              <Row key={idOf(line)} line={line} chosen={isChosen} several={several} onChoose={() => choose(line)} />
            );
          }}
        />
      )}
      <Foot />
    </section>
  );
}

function Foot(): JSX.Element {
  const { length } = entries.value;
  if (length > 0 && failed.value !== undefined)
    return (
      <p class="foot">
        Older entries could not be loaded: {name(failed.value.message)}{" "}
        <Button class="small" onClick={() => again()}>
          Try again
        </Button>
      </p>
    );
  const more = before.value === undefined ? "" : ", older ones follow";
  return (
    <p class="foot">
      {loading.value ? "Loading…" : `${plural(length, "entry", "entries")}${more}`}
      {about.value?.mayChange && length > 0 ? (
        <Button class="small" onClick={markShown} title="marks all entries that are loaded">
          Mark all reviewed
        </Button>
      ) : null}
    </p>
  );
}

function markShown(): void {
  const open = entries.value.filter(({ reviewed, outcome }) => !reviewed && outcome !== "note");
  for (const w of new Set(open.map((line) => line.w))) {
    const seqs = open.filter((line) => line.w === w).map(({ seq }) => seq);
    void mark(w, seqs, true);
  }
}

/** One workspace that cannot be read is no reason to hide the others. */
function Troubles(): JSX.Element {
  return (
    <div class="troubles">
      {troubles.value.map((trouble) => (
        <Failed key={trouble.w} why={{ ...trouble, message: `${trouble.w}: ${trouble.message}` }} again={askNow} />
      ))}
    </div>
  );
}

function askNow(): void {
  void askAnew();
}

function Nothing(): JSX.Element | null {
  if (failed.value !== undefined)
    return (
      <Failed why={failed.value} again={askNow}>
        {isFiltered() ? <Button onClick={clearFilters}>Clear filters</Button> : null}
      </Failed>
    );
  if (loading.value) return <p class="state">Loading…</p>;
  if (troubles.value.length > 0 && troubles.value.length === about.value?.workspaces.length) return <div />;
  if (isFiltered()) {
    return (
      <div class="state">
        <p>Nothing fits these filters.</p>
        <Button onClick={clearFilters}>Clear filters</Button>
      </div>
    );
  }
  return (
    <div class="state">
      <p>Nothing has happened yet.</p>
      <p>
        What agents change through stet, and what they are refused, appears here at once.{" "}
        {live.value === "live" ? "The page is following." : ""} To connect one: <code>stet install --client NAME</code>.
      </p>
    </div>
  );
}

/** From entry to entry of the list: the way back leads to where they began. */
export function choose(line: Pick<EntryLine, "w" | "seq">, how?: "push" | "replace"): void {
  const isNext = route.value.view === "entry";
  open({ view: "entry", ws: line.w, seq: String(line.seq) }, how ?? (isNext ? "replace" : "push"));
}

export function chosenIndex(): number {
  const { ws, seq } = route.value;
  return entries.value.findIndex((line) => line.w === ws && String(line.seq) === seq);
}

/** By so many, from the chosen one on. */
export function step(by: number): void {
  const at = chosenIndex();
  const next = entries.value[at === -1 ? 0 : Math.max(0, Math.min(entries.value.length - 1, at + by))];
  if (next !== undefined) choose(next);
  // its active option is what a screen reader reads
  document.querySelector<HTMLElement>(".timeline")?.focus();
}
