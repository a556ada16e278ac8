// What the timeline is asked for: search, outcome, and the narrower questions behind a button.
import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { longTime, name } from "../shown.ts";
import { about } from "../state/about.ts";
import { clearFilters, FILTERS, go, isFilter, isFiltered, open, type Route, route } from "../state/route.ts";
import { entries } from "../state/timeline.ts";
import { ofWhom } from "../state/whose.ts";
import { Button } from "./button.tsx";
import { TimeField } from "./time-field.tsx";

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

const NARROWER = ["agent", "session", "tool", "path", "since", "until"] as const;

export function Filters(): JSX.Element {
  const isOpen = useSignal(NARROWER.some((field) => route.value[field] !== undefined));
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
          onInput={later((value) => go({ text: value }, route.value.text === undefined ? "push" : "replace"))}
        />
        <button type="button" aria-expanded={isOpen.value} onClick={() => (isOpen.value = !isOpen.value)}>
          Filters
        </button>
      </div>
      <fieldset class="line-of" aria-label="Outcome">
        {OUTCOMES.map(([value, label]) => (
          <Button key={value} pressed={(now.outcome ?? "") === value} onClick={() => go({ outcome: value })}>
            {label}
          </Button>
        ))}
        <Button
          pressed={now.unreviewed !== undefined}
          onClick={() => go({ unreviewed: now.unreviewed === undefined ? "1" : undefined })}
        >
          Unreviewed only
        </Button>
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
            <TimeField
              key={field}
              label={field === "since" ? "From" : "To"}
              value={now[field]}
              onTaken={(value) => go({ [field]: value })}
            />
          ))}
        </div>
      ) : null}
      {isFiltered() ? (
        <div class="line-of chips">
          {FILTERS.filter((field) => isFilter(field) && now[field] !== undefined && field !== "text").map((field) => (
            <Button class="chip" key={field} onClick={() => go({ [field]: undefined })}>
              {chipOf(field, now[field]!)} <span aria-hidden="true">×</span>
              <span class="hidden"> remove this filter</span>
            </Button>
          ))}
          {now.since === undefined ? null : <AllSince now={now} />}
          <Button class="plain" onClick={clearFilters}>
            Clear all
          </Button>
        </div>
      ) : null}
    </search>
  );
}

/** What all that fits comes to: in the workspace that is chosen, or in any of them. */
function AllSince({ now }: { readonly now: Route }): JSX.Element {
  const { agent, session, since, until } = now;
  const places = (about.value?.workspaces ?? []).map(({ w }) => w).filter((w) => (now.w ?? w) === w);
  return (
    <>
      {places.map((w) => (
        <Button key={w} onClick={() => open({ view: "net", ws: w, of: ofWhom({ agent, session, since, until }) })}>
          All since then{places.length > 1 ? ` in ${name(w)}` : ""}
        </Button>
      ))}
    </>
  );
}

const FIELD_WORDS: Readonly<Record<string, string>> = { w: "workspace", path: "file", since: "from", until: "to" };

function chipOf(field: string, value: string): string {
  if (field === "unreviewed") return field;
  const shown = field === "since" || field === "until" ? longTime(value) : name(value);
  return `${FIELD_WORDS[field] ?? field}: ${shown}`;
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

/** Among what is loaded; the browser shows them as they are, so none that would not look like itself. */
function knownOf(field: (typeof FIELDS)[number][0]): string[] {
  const found = entries.value.flatMap((line) => (field === "path" ? line.paths : (line[field] ?? [])));
  return [...new Set(found)].filter((each) => name(each) === each).slice(0, 50);
}
