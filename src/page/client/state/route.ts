// The address holds what is looked at, so that a view can be sent to a colleague: filters, and what is open.
import { computed, signal } from "@preact/signals";
import type { Query } from "../api.ts";
import type { Layout } from "../diff/parse.ts";

/** What the timeline is asked for. */
export const FILTERS = [
  "w",
  "agent",
  "session",
  "tool",
  "outcome",
  "path",
  "text",
  "since",
  "until",
  "unreviewed",
] as const;
/** What is open beside it. */
const OPEN = ["view", "ws", "seq", "file", "from", "to", "of", "layout"] as const;

type Name = (typeof FILTERS)[number] | (typeof OPEN)[number];
export type Route = Readonly<Partial<Record<Name, string>>>;

const KNOWN: readonly string[] = [...FILTERS, ...OPEN];

export const route = signal<Route>(routeIn(location.search));

const narrow = matchMedia("(max-width: 800px)");
/** Whether there is room for one thing at a time, as narrow.css has it. */
export const isNarrow = signal(narrow.matches);
narrow.addEventListener("change", () => {
  isNarrow.value = narrow.matches;
});

/** Workspaces are found by name: the one that is looked at is no filter. */
export const pinned = signal(false);

export function isFilter(name: (typeof FILTERS)[number]): boolean {
  return name !== "w" || !pinned.value;
}

export const filters = computed<Query>(() => Object.fromEntries(FILTERS.map((each) => [each, route.value[each]])));

/** Filters changed: another question. */
export const question = computed(() => JSON.stringify(filters.value));

export function isFiltered(): boolean {
  return FILTERS.some((each) => isFilter(each) && route.value[each] !== undefined);
}

/** Undefined takes a part away. `push`: the way back leads here. */
export function go(
  change: Readonly<Partial<Record<Name, string | undefined>>>,
  how: "push" | "replace" = "push",
): void {
  const next = Object.fromEntries(Object.entries({ ...route.value, ...change }).filter(([, value]) => value));
  const search = new URLSearchParams(next as Record<string, string>).toString();
  const address = search === "" ? location.pathname : `?${search}`;
  try {
    if (how === "push") history.pushState(null, "", address);
    else history.replaceState(null, "", address);
  } catch {
    // A document in a frame of another program has no address of its own.
  }
  route.value = next;
}

/** Nothing but this is open; the filters stay, but for those that are given. */
export function open(
  change: Readonly<Partial<Record<(typeof OPEN)[number], string>>>,
  how?: "push" | "replace",
  others: Readonly<Partial<Record<(typeof FILTERS)[number], string | undefined>>> = {},
): void {
  const closed = Object.fromEntries(OPEN.filter((each) => each !== "layout").map((each) => [each, undefined]));
  go({ ...others, ...closed, ...change }, how);
}

/** Filters that are set from what is open: where there is room for one thing only, what they find is shown. */
export function filterBy(change: Readonly<Partial<Record<(typeof FILTERS)[number], string | undefined>>>): void {
  if (isNarrow.value) open({}, "push", change);
  else go(change);
}

export function clearFilters(): void {
  go(Object.fromEntries(FILTERS.filter(isFilter).map((each) => [each, undefined])));
}

/** To the beginning. */
export function clearRoute(): void {
  go(Object.fromEntries([...FILTERS, ...OPEN].map((each) => [each, undefined])));
}

addEventListener("popstate", () => {
  route.value = routeIn(location.search);
});

function routeIn(search: string): Route {
  const found = [...new URLSearchParams(search)].filter(([key, value]) => KNOWN.includes(key) && value !== "");
  return Object.fromEntries(found);
}

/** One column or two. */
export const layout = computed<Layout>(() => (route.value.layout === "split" ? "split" : "unified"));

export function toggleLayout(): void {
  go({ layout: layout.value === "split" ? undefined : "split" }, "replace");
}
