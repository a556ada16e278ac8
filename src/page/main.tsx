// The start of the page: in with the secret of the link, which leaves the address at once, and then what the address asks for.
import { effect } from "@preact/signals";
import { render } from "preact";
import { enter } from "./api.ts";
import { App } from "./app.tsx";
import { listenToKeys } from "./keys.ts";
import { loadAbout } from "./state/about.ts";
import { question } from "./state/route.ts";
import { lockedOut, lockOut } from "./state/said.ts";
import { askAnew, forget } from "./state/timeline.ts";

async function start(): Promise<void> {
  const secret = new URLSearchParams(location.hash.slice(1)).get("secret");
  if (secret !== null) {
    history.replaceState(null, "", location.pathname + location.search);
    await enter(secret).catch(lockOut);
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

void start();
