// A stream of events, read by fetch: the browser's own reader shows no key, and does not tell of silence.
import { addressOf, away, opened, type Query } from "./api.ts";

export interface Told {
  readonly event: string;
  readonly data: string;
  /** Where it goes on from. */
  readonly id?: string;
}

/** The server says something every ten seconds: twice missed, it hangs. */
const SILENT_MS = 25_000;

/** Ends when the server ends it, or is told to stop; throws when it is refused, or nothing is heard any more. */
export async function* eventsOf(name: string, query: Query, signal: AbortSignal): AsyncGenerator<Told> {
  const silence = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const heard = (): void => {
    clearTimeout(timer);
    timer = setTimeout(() => silence.abort(), SILENT_MS);
  };
  heard();
  try {
    const response = await opened(addressOf(name, query), {}, AbortSignal.any([signal, silence.signal]));
    const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
    for (let rest = ""; ; ) {
      const { value, done } = await reader.read();
      if (done || signal.aborted) return;
      heard();
      const blocks = (rest + value).split("\n\n");
      rest = blocks.pop()!;
      for (const block of blocks) {
        const told = toldIn(block);
        if (told !== undefined) yield told;
      }
    }
  } catch (error) {
    if (signal.aborted) return;
    throw error instanceof Error && "refused" in error ? error : away();
  } finally {
    clearTimeout(timer);
    silence.abort();
  }
}

function toldIn(block: string): Told | undefined {
  const fields = new Map(block.split("\n").map((line) => [line.slice(0, line.indexOf(":")), valueIn(line)]));
  const [event, data = "", id] = ["event", "data", "id"].map((field) => fields.get(field));
  return event === undefined ? undefined : { event, data, ...(id !== undefined && { id }) };
}

function valueIn(line: string): string {
  return line.slice(line.indexOf(":") + 1).trimStart();
}
