// The stream of what happens: held while the page is in sight, and taken up again where it was.
import { signal } from "@preact/signals";
import { isAway } from "../api.ts";
import { eventsOf } from "../stream.ts";
import { filters } from "./route.ts";
import { heed, say } from "./said.ts";

/** "away": nothing answers. "waiting": something answers, but gives no stream. */
export const live = signal<"connecting" | "live" | "away" | "crowded" | "waiting">("connecting");

const AGAIN_MS = 1000;
const WHEN_CROWDED_MS = 15_000;

let place = "";
let hear: (event: string, data: string) => void = () => {};
let current = new AbortController();
let isWanted = false;

/** From this place on, until it is asked for from another, or no more. */
export function follow(after: string, use: typeof hear): void {
  place = after;
  hear = use;
  isWanted = true;
  start();
}

export function unfollow(): void {
  isWanted = false;
  current.abort();
}

/** A browser has few connections to one server: a page that is not seen leaves them to others. */
addEventListener("visibilitychange", () => {
  if (document.hidden) current.abort();
  else if (isWanted) start();
});

function start(): void {
  current.abort();
  current = new AbortController();
  if (!document.hidden) void run(current.signal);
}

async function run(stopped: AbortSignal): Promise<void> {
  while (!stopped.aborted) {
    const pause = await once(stopped);
    if (pause === undefined) return;
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
}

/** How long to wait before the next try; undefined where none would help. */
async function once(stopped: AbortSignal): Promise<number | undefined> {
  let pause = AGAIN_MS;
  try {
    for await (const { event, data, id } of eventsOf("events", { ...filters.value, after: place }, stopped)) {
      if (stopped.aborted) return undefined;
      place = id ?? place;
      if (event === "ready") live.value = "live";
      if (event === "crowded") {
        live.value = "crowded";
        pause = WHEN_CROWDED_MS;
        say((JSON.parse(data) as { message: string }).message);
      } else hear(event, data);
    }
    if (!stopped.aborted && live.value === "live") live.value = "connecting";
  } catch (error) {
    if (stopped.aborted || heed(error)) return undefined;
    live.value = isAway(error) ? "away" : "waiting";
  }
  return stopped.aborted ? undefined : pause;
}
