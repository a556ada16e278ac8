// The whole page: the bar, the timeline, and what is open beside it.
import type { JSX } from "preact";
import { Button } from "./parts/button.tsx";
import { name } from "./shown.ts";
import { about, isToBeNamed } from "./state/about.ts";
import { live } from "./state/live.ts";
import { clearRoute, open, route } from "./state/route.ts";
import { lockedOut, said } from "./state/said.ts";
import { Chooser, Locked, leaveNow } from "./views/door.tsx";
import { EntryView } from "./views/entry.tsx";
import { FileView } from "./views/file.tsx";
import { HealthView } from "./views/health.tsx";
import { Help, helping } from "./views/help.tsx";
import { NetView } from "./views/net.tsx";
import { Overview } from "./views/overview.tsx";
import { TakeBack } from "./views/takeback.tsx";
import { Timeline } from "./views/timeline.tsx";
import { TrashView } from "./views/trash.tsx";

export function App(): JSX.Element {
  if (lockedOut.value !== undefined) return <Locked out={lockedOut.value} />;
  if (isToBeNamed()) return <Chooser />;
  return (
    <>
      <Bar />
      <main class={`body${route.value.view === undefined ? "" : " has-detail"}`}>
        <Timeline />
        <Detail />
      </main>
      <p class={`said${said.value.bad ? " bad" : ""}`} role="status" aria-live="polite">
        {name(said.value.text)}
      </p>
      <TakeBack />
      <Help />
    </>
  );
}

function Detail(): JSX.Element {
  switch (route.value.view) {
    case "entry":
      return <EntryView />;
    case "file":
      return <FileView />;
    case "net":
      return <NetView />;
    case "trash":
      return <TrashView />;
    case "health":
      return <HealthView />;
    default:
      return <Overview />;
  }
}

const LIVE = {
  live: "live",
  connecting: "connecting…",
  away: "stet does not answer; trying again",
  crowded: "not live: too many pages are open",
  waiting: "not live",
} as const;

function Bar(): JSX.Element {
  const { view } = route.value;
  return (
    <header class="bar">
      <h1>stet</h1>
      {view === undefined ? null : (
        <Button class="back" onClick={() => open({})}>
          ‹ Timeline
        </Button>
      )}
      <Button pressed={view === "trash"} onClick={() => open({ view: "trash" })}>
        Trash
      </Button>
      <Button pressed={view === "health"} onClick={() => open({ view: "health" })}>
        Health
      </Button>
      <span class="grow" />
      {about.value?.names === undefined ? null : (
        <Button title="another workspace" onClick={() => clearRoute()}>
          {name(about.value.workspaces[0]?.w ?? "")}
        </Button>
      )}
      {about.value === undefined ? null : (
        <span class="person">
          {name(about.value.person)}
          {about.value.mayChange ? "" : ", looking only"}
        </span>
      )}
      <span class={`live ${live.value}`} role="status">
        {LIVE[live.value]}
      </span>
      {about.value?.mayLeave ? <Button onClick={() => leaveNow()}>Leave</Button> : null}
      <button type="button" aria-label="Keys" onClick={() => (helping.value = true)}>
        ?
      </button>
    </header>
  );
}
