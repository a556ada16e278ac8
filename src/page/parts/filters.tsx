// What the timeline is asked for: search, outcome, and the narrower questions behind a button.

import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { isNoTime, name } from "../shown.ts";
import { about } from "../state/about.ts";
import { clearFilters, FILTERS, go, isFilter, isFiltered, open, type Route, route } from "../state/route.ts";
import { entries } from "../state/timeline.ts";

const OUTCOMES = [
  ["", "All"],
  ["applied", "Changes"],
  ["refused", "Refusals"],
  ["external", "Outside"],
  ["note", "Notes"],
] as const;

const FIELDS = [
  ["agent", "Agent"],
  ["session", "Session"],
  ["tool", "Tool"],
  ["path", "File or directory"],
] as const;

export function Filters(): JSX.Element {
  const isOpen = useSignal(FIELDS.some(([field]) => route.value[field] !== undefined));
  const now = route.value;
  const places = about.value?.workspaces ?? [];
  return (
    <search class="filters">
      <div class="line-of">
        <input
          id="search"
          type="search"
          placeholder="Search  ( / )"
          aria-label="Search in agents, tools, files and reasons"
          value={now.text ?? ""}
          onInput={later((value) => go({ text: value }, "replace"))}
        />
        <button type="button" aria-expanded={isOpen.value} onClick={() => (isOpen.value = !isOpen.value)}>
          Filters
        </button>
      </div>
      <fieldset class="line-of" aria-label="Outcome">
        {OUTCOMES.map(([value, label]) => (
          <button
            type="button"
            key={value}
            aria-pressed={(now.outcome ?? "") === value}
            onClick={() => go({ outcome: value })}
          >
            {label}
          </button>
        ))}
        <button
          type="button"
          aria-pressed={now.unreviewed !== undefined}
          onClick={() => go({ unreviewed: now.unreviewed === undefined ? "1" : undefined })}
        >
          Unreviewed only
        </button>
      </fieldset>
      {isOpen.value ? (
        <div class="fields">
          {places.length < 2 ? null : (
            <label>
              Workspace
              <select value={now.w ?? ""} onChange={({ currentTarget }) => go({ w: currentTarget.value })}>
                <option value="">all</option>
                {places.map(({ w }) => (
                  <option key={w} value={w}>
                    {name(w)}
                  </option>
                ))}
              </select>
            </label>
          )}
          {FIELDS.map(([field, label]) => (
            <label key={field}>
              {label}
              <input
                value={now[field] ?? ""}
                list={`known-${field}`}
                onChange={({ currentTarget }) => go({ [field]: currentTarget.value })}
              />
              <datalist id={`known-${field}`}>
                {knownOf(field).map((each) => (
                  <option key={each} value={each} />
                ))}
              </datalist>
            </label>
          ))}
          {(["since", "until"] as const).map((field) => (
            <label key={field}>
              {field === "since" ? "From" : "To"}
              <input
                type="datetime-local"
                value={localTime(now[field])}
                onChange={({ currentTarget: { value } }) =>
                  go({ [field]: value === "" ? undefined : new Date(value).toISOString() })
                }
              />
            </label>
          ))}
        </div>
      ) : null}
      {isFiltered() ? (
        <div class="line-of chips">
          {FILTERS.filter((field) => isFilter(field) && now[field] !== undefined && field !== "text").map((field) => (
            <button type="button" class="chip" key={field} onClick={() => go({ [field]: undefined })}>
              {field === "unreviewed" ? field : `${field}: ${name(now[field]!)}`} <span aria-hidden="true">×</span>
              <span class="hidden"> remove this filter</span>
            </button>
          ))}
          {now.since === undefined || placeIn(now) === undefined ? null : (
            <button type="button" onClick={() => open({ view: "net", ws: placeIn(now)!, of: `since:${now.since}` })}>
              All since then
            </button>
          )}
          <button type="button" class="plain" onClick={clearFilters}>
            Clear all
          </button>
        </div>
      ) : null}
    </search>
  );
}

/** The one that is chosen, or the only one. */
function placeIn({ w }: Route): string | undefined {
  const [first, ...others] = about.value?.workspaces ?? [];
  return w ?? (others.length === 0 ? first?.w : undefined);
}

const PAUSE_MS = 250;

/** When typing pauses. */
function later(use: (value: string) => void): (event: Event) => void {
  return ({ currentTarget }) => {
    const { value } = currentTarget as HTMLInputElement;
    clearTimeout(timer);
    timer = setTimeout(() => use(value), PAUSE_MS);
  };
}

let timer: ReturnType<typeof setTimeout> | undefined;

/** Among what is loaded. */
function knownOf(field: (typeof FIELDS)[number][0]): string[] {
  const found = entries.value.flatMap((line) => (field === "path" ? line.paths : (line[field] ?? [])));
  return [...new Set(found)].slice(0, 50);
}

/** The control wants the time of the viewer's zone, without the zone. */
function localTime(at: string | undefined): string {
  if (at === undefined) return "";
  const date = new Date(at);
  if (isNoTime(date)) return "";
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}
