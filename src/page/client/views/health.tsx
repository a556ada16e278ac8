// Is all well: the journal verified, its head to copy, how large it is, and what the doctor finds.
import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect, useMemo } from "preact/hooks";
import type { HealthLine, VerifyTold, WorkspaceState } from "../../wire.ts";
import { ask } from "../api.ts";
import { Button } from "../parts/button.tsx";
import { WhileLoading } from "../parts/states.tsx";
import { name, plural, size } from "../shown.ts";
import { about, loadAbout } from "../state/about.ts";
import { useLoaded } from "../state/loaded.ts";
import { complain, heed, say } from "../state/said.ts";
import { useNews } from "../state/timeline.ts";
import { eventsOf } from "../stream.ts";

export function HealthView(): JSX.Element {
  const now = useNews("health", () => true);
  useEffect(() => void loadAbout(), [now]);
  const loaded = useLoaded("health", (signal) => ask<{ findings: readonly HealthLine[] }>("health", {}, signal));
  return (
    <section class="detail" id="detail" tabIndex={-1} aria-label="Detail">
      <header class="head">
        <h2>Health</h2>
      </header>
      <div class="scrolls">
        {(about.value?.workspaces ?? []).map((place) => (
          <Place key={place.w} place={place} />
        ))}
        <h3>What stet doctor finds</h3>
        <WhileLoading loaded={loaded}>
          {({ findings }) =>
            findings.length === 0 ? (
              <p class="state">Nothing was examined here. Run stet doctor in a terminal.</p>
            ) : (
              <ul class="findings">
                {findings.map(({ about: what, state, what: found, means }, n) => (
                  <li key={n} class={state}>
                    <b>{state}</b> {name(what)}: {name(found)}
                    {means === undefined ? null : <small> {name(means)}</small>}
                  </li>
                ))}
              </ul>
            )
          }
        </WhileLoading>
      </div>
    </section>
  );
}

function Place({ place }: { readonly place: WorkspaceState }): JSX.Element {
  const { w, root, head, bytes, versions, unused, readOnly } = place;
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(`${head!.seq}:${head!.hash}`);
      say("Copied. Kept elsewhere, it proves later that nothing was cut off.");
    } catch (error) {
      complain(error);
    }
  };
  return (
    <section aria-label={name(w)}>
      <h3>{name(w)}</h3>
      <dl>
        <div>
          <dt>root</dt>
          <dd>
            {name(root)}
            {readOnly ? " (read-only)" : ""}
          </dd>
        </div>
        {bytes === undefined ? null : (
          <div>
            <dt>history</dt>
            <dd>
              {plural(head?.seq ?? 0, "entry", "entries")}, {plural(versions ?? 0, "version")}, {size(bytes)}
            </dd>
          </div>
        )}
        {head === undefined ? null : (
          <div>
            <dt>head</dt>
            <dd>
              <code class="hash">
                {head.seq}:{head.hash}
              </code>{" "}
              <Button class="small" onClick={() => copy()}>
                Copy
              </Button>
            </dd>
          </div>
        )}
      </dl>
      {unused === undefined ? <Verify w={w} /> : <p class="state bad">{name(unused)}</p>}
    </section>
  );
}

function Verify({ w }: { readonly w: string }): JSX.Element {
  const told = useSignal<VerifyTold | undefined>(undefined);
  const busy = useSignal(false);
  const stop = useMemo(() => new AbortController(), []);
  useEffect(() => () => stop.abort(), []);
  const start = async (): Promise<void> => {
    busy.value = true;
    told.value = { entries: 0, total: 0 };
    try {
      for await (const { data } of eventsOf("verify", { w }, stop.signal)) told.value = JSON.parse(data) as VerifyTold;
    } catch (error) {
      const failed = error instanceof Error ? error.message : String(error);
      if (!heed(error)) told.value = { entries: 0, total: 0, failed };
    }
    busy.value = false;
  };
  const now = told.value;
  return (
    <div class="verify">
      <Button onClick={() => start()} disabled={busy.value}>
        Verify the journal
      </Button>{" "}
      {now === undefined || now.done !== undefined || now.failed !== undefined ? null : (
        <progress max={Math.max(1, now.total)} value={now.entries} aria-label="entries checked" />
      )}
      <span role="status">{now === undefined ? "" : wordsOf(now)}</span>
      <ul>
        {(now?.done?.problems ?? []).map(({ seq, problem }) => (
          <li key={`${seq} ${problem}`} class="fail">
            entry {seq}: {name(problem)}
          </li>
        ))}
      </ul>
    </div>
  );
}

function wordsOf({ entries, total, done, failed }: VerifyTold): string {
  if (failed !== undefined) return name(failed);
  if (done === undefined) return `${entries.toLocaleString()} of ${total.toLocaleString()} entries checked`;
  const checked = plural(entries, "entry", "entries");
  return done.ok ? `✓ The journal is whole: ${checked}.` : `✕ The journal is damaged: ${checked} checked.`;
}
