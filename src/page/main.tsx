// The start of the page: in with the secret of the link, which leaves the address at once, and then what the address asks for.
import { effect } from "@preact/signals";
import { render } from "preact";
import { ask, enter } from "./api.ts";
import { App } from "./app.tsx";
import { listenToKeys } from "./keys.ts";
import { loadAbout } from "./state/about.ts";
import { question } from "./state/route.ts";
import { lockedOut, lockOut, say } from "./state/said.ts";
import { askAnew, forget } from "./state/timeline.ts";

async function start(): Promise<void> {
  const secret = secretIn(location.hash);
  if (secret !== null) {
    history.replaceState(null, "", location.pathname + location.search);
    await enter(secret).catch(goOnOrLockOut);
  }
  listenToKeys();
  render(<App />, document.getElementById("app")!);
  if (lockedOut.value === undefined) await loadAbout();
  let last: string | undefined;
  effect(() => {
    const asked = lockedOut.value === undefined ? question.value : undefined;
    if (asked === last) return;
    last = asked;
    queueMicrotask(asked === undefined ? forget : () => void askAnew());
  });
}

/** A link that was opened before does no harm in the browser that it let in. */
async function goOnOrLockOut(error: unknown): Promise<void> {
  try {
    await ask("state");
    say("This link was used before. This browser is let in already.");
  } catch {
    lockOut(error);
  }
}

function secretIn(hash: string): string | null {
  return new URLSearchParams(hash.slice(1)).get("secret");
}

/** A link that is opened where the page is open already changes nothing but the end of the address. */
addEventListener("hashchange", () => {
  if (secretIn(location.hash) !== null) location.reload();
});

void start();
