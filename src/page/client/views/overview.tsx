// What is shown where no entry is open: who was at work, and what was refused.
import type { JSX } from "preact";
import type { EntryLine } from "../../wire.ts";
import { Button } from "../parts/button.tsx";
import { kind, name, plural, shortTime } from "../shown.ts";
import { filterBy } from "../state/route.ts";
import { entries, keyOf } from "../state/timeline.ts";
import { choose } from "./timeline.tsx";

const MAX_SHOWN = 8;

export function Overview(): JSX.Element {
  const all = entries.value;
  const refused = all.filter(({ outcome }) => outcome === "refused").slice(0, MAX_SHOWN);
  const unreviewed = all.filter(({ reviewed, outcome }) => !reviewed && outcome !== "note").length;
  return (
    <section class="detail" id="detail" tabIndex={-1} aria-label="Detail">
      <div class="scrolls overview">
        <h3>At work</h3>
        <table class="list">
          <tbody>
            {agentsIn(all).map(({ agent, changes, refusals, last }) => (
              <tr key={agent}>
                <td>
                  <Button class="plain" onClick={() => filterBy({ agent })}>
                    {name(agent)}
                  </Button>
                </td>
                <td>{plural(changes, "change")}</td>
                <td>{refusals === 0 ? "" : plural(refusals, "refusal")}</td>
                <td>{shortTime(last)}</td>
              </tr>
            ))}
          </tbody>
        </table>
        {refused.length === 0 ? null : (
          <>
            <h3>Refused lately</h3>
            <ul class="findings">
              {refused.map((line) => (
                <li key={keyOf(line)}>
                  <Button class="plain" onClick={() => choose(line)}>
                    {kind(line.error ?? "")}
                  </Button>{" "}
                  {line.paths.map(name).join(", ")} <small>{name(line.agent ?? "unnamed")}</small>
                </li>
              ))}
            </ul>
          </>
        )}
        <p class="dim">
          {unreviewed === 0 ? "" : `${plural(unreviewed, "entry", "entries")} not reviewed. `}
          <kbd>j</kbd> <kbd>k</kbd> move, <kbd>u</kbd> takes back, <kbd>?</kbd> shows all keys.
        </p>
      </div>
    </section>
  );
}

/** Of the entries that are loaded, newest first. */
function agentsIn(all: readonly EntryLine[]) {
  const found = new Map<string, { agent: string; changes: number; refusals: number; last: string }>();
  for (const { agent, outcome, at } of all) {
    if (agent === undefined || outcome === "external" || outcome === "note") continue;
    const { changes, refusals, last } = found.get(agent) ?? { changes: 0, refusals: 0, last: at };
    const isRefusal = outcome === "refused";
    found.set(agent, { agent, changes: changes + (isRefusal ? 0 : 1), refusals: refusals + (isRefusal ? 1 : 0), last });
  }
  return [...found.values()].slice(0, MAX_SHOWN);
}
