// The start of the page: in with the secret of the link, which leaves the address at once, and then what the address asks for.
import { effect } from "@preact/signals";
import { render } from "preact";
import type { StateAnswer } from "../wire.ts";
import { ask, enter, Refusal } from "./api.ts";
import { App } from "./app.tsx";
import { keyNow, NO_KEY } from "./key.ts";
import { listenToKeys } from "./keys.ts";
import { loadAbout } from "./state/about.ts";
import { question } from "./state/route.ts";
import { complain, lockedOut, lockOut, say } from "./state/said.ts";
import { askAnew, forget } from "./state/timeline.ts";
import { Instead } from "./views/door.tsx";

const app = document.getElementById("app")!;

async function start(): Promise<void> {
  const secret = secretIn(location.hash);
  if (secret !== null) {
    history.replaceState(null, "", location.pathname + location.search);
    await use(secret).catch(complain);
  }
  listenToKeys();
  render(<App />, app);
  if (lockedOut.value === undefined) await loadAbout();
  let last: string | undefined;
  effect(() => {
    const asked = lockedOut.value === undefined ? question.value : undefined;
    if (asked === last) return;
    last = asked;
    queueMicrotask(asked === undefined ? forget : () => void askAnew());
  });
}

/** Any page can lead here with a secret of its own: where this browser is let in, the person decides. */
async function use(secret: string): Promise<void> {
  const person = keyNow() === NO_KEY ? undefined : await personNow();
  const isWanted =
    person === undefined ||
    (await new Promise<boolean>((decide) => render(<Instead person={person} decide={decide} />, app)));
  if (isWanted) await enter(secret).catch(goOnOrLockOut);
}

/** Undefined: not let in. Where that cannot be told, the link is left unused, and the visit as it is. */
async function personNow(): Promise<string | undefined> {
  try {
    return (await ask<StateAnswer>("state")).person;
  } catch (error) {
    if (error instanceof Refusal && error.status === 401) return undefined;
    throw error;
  }
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
