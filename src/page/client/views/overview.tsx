// What is shown where no entry is open: who was at work, what was refused, and where the history is.
import type { JSX } from "preact";
import type { EntryLine } from "../../wire.ts";
import { kind, name, plural, shortTime, size } from "../shown.ts";
import { about } from "../state/about.ts";
import { filterBy } from "../state/route.ts";
import { entries, keyOf } from "../state/timeline.ts";
import { choose } from "./timeline.tsx";

const MAX_AGENTS = 8;
const MAX_REFUSALS = 5;

export function Overview(): JSX.Element {
  const all = entries.value;
  const refused = all.filter(({ outcome }) => outcome === "refused").slice(0, MAX_REFUSALS);
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
                  <button type="button" class="plain" onClick={() => filterBy({ agent })}>
                    {name(agent)}
                  </button>
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
                  <button type="button" class="plain" onClick={() => choose(line)}>
                    {kind(line.error ?? "")}
                  </button>{" "}
                  {line.paths.map(name).join(", ")} <small>{name(line.agent ?? "unnamed")}</small>
                </li>
              ))}
            </ul>
          </>
        )}
        <h3>History</h3>
        {(about.value?.workspaces ?? []).map(({ w, root, head, bytes, versions, unused }) => (
          <p key={w}>
            <b>{name(w)}</b> <small>{name(root)}</small>
            <br />
            {unused === undefined
              ? [
                  head && plural(head.seq, "entry", "entries"),
                  versions !== undefined && plural(versions, "version"),
                  bytes !== undefined && size(bytes),
                ]
                  .filter(Boolean)
                  .join(", ")
              : name(unused)}
          </p>
        ))}
        <p class="dim">
          {unreviewed === 0 ? "" : `${plural(unreviewed, "entry", "entries")} not reviewed. `}
          <kbd>j</kbd> <kbd>k</kbd> move, <kbd>u</kbd> takes back, <kbd>?</kbd> shows all keys.
        </p>
      </div>
    </section>
  );
}

interface AtWork {
  readonly agent: string;
  readonly changes: number;
  readonly refusals: number;
  readonly last: string;
}

/** Of the entries that are loaded, newest first. */
function agentsIn(all: readonly EntryLine[]): AtWork[] {
  const found = new Map<string, AtWork>();
  for (const { agent, outcome, at } of all) {
    if (agent === undefined || outcome === "external" || outcome === "note") continue;
    const { changes, refusals, last } = found.get(agent) ?? { changes: 0, refusals: 0, last: at };
    const isRefusal = outcome === "refused";
    found.set(agent, { agent, changes: changes + (isRefusal ? 0 : 1), refusals: refusals + (isRefusal ? 1 : 0), last });
  }
  return [...found.values()].slice(0, MAX_AGENTS);
}
