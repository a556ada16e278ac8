// Before there is anything to see: a page that is not let in, and a workspace that is not named yet.
import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { enter, leave } from "../api.ts";
import { Button } from "../parts/button.tsx";
import { name } from "../shown.ts";
import { about, loadAbout } from "../state/about.ts";
import { go, route } from "../state/route.ts";
import { complain, type LockedOut, lockedOut, lockOut } from "../state/said.ts";
import { askAnew } from "../state/timeline.ts";

export function Locked({ out }: { readonly out: LockedOut }): JSX.Element {
  return (
    <main class="locked">
      <h1>stet</h1>
      <p role="alert">{name(out.why)}</p>
      {out.tokens ? <TokenForm /> : null}
      <p>
        A link lets one browser in, once, until stet ends. Run <code>stet ui</code>, or start <code>stet serve</code>{" "}
        anew, and open the link that it prints.
      </p>
    </main>
  );
}

/** What another page leads to must not take the place of a visit unasked. */
export function Instead({
  person,
  decide,
}: {
  readonly person: string;
  readonly decide: (isWanted: boolean) => void;
}): JSX.Element {
  return (
    <main class="locked">
      <h1>stet</h1>
      <p role="alert">You are in as {name(person)}. Use this link instead?</p>
      <p>If another page led you here, stay: the link is not yours.</p>
      <Button class="primary" onClick={() => decide(false)}>
        Stay {name(person)}
      </Button>{" "}
      <Button onClick={() => decide(true)}>Use the link</Button>
    </main>
  );
}

function TokenForm(): JSX.Element {
  const busy = useSignal(false);
  const give = async (form: HTMLFormElement): Promise<void> => {
    const { value } = form.elements.namedItem("token") as HTMLInputElement;
    busy.value = true;
    try {
      await enter(value.trim());
      about.value = undefined;
      await loadAbout();
      lockedOut.value = undefined;
    } catch (error) {
      lockOut(error);
    }
    busy.value = false;
  };
  return (
    <form onSubmit={submitting(give)}>
      <label>
        Token
        <input name="token" type="password" autocomplete="off" required spellcheck={false} />
      </label>
      <button type="submit" class="primary" disabled={busy.value}>
        Enter
      </button>
    </form>
  );
}

/** Nothing lists workspaces: a name is known, or told by a colleague. */
export function Chooser(): JSX.Element {
  const { names = [], missing, person } = about.value!;
  return (
    <main class="locked">
      <h1>stet</h1>
      <p>You are {name(person)}. Which workspace do you want to see?</p>
      {missing === undefined ? null : <p role="alert">{name(missing)}</p>}
      <form
        onSubmit={submitting(async (form) => {
          const { value } = form.elements.namedItem("workspace") as HTMLInputElement;
          go({ w: value });
          await askAnew();
        })}
      >
        <label>
          Workspace
          <input name="workspace" list="known-workspaces" required defaultValue={route.value.w ?? names[0] ?? ""} />
        </label>
        <datalist id="known-workspaces">
          {names.map((each) => (
            <option key={each} value={each} />
          ))}
        </datalist>
        <button type="submit" class="primary">
          Show
        </button>{" "}
        <Button onClick={() => leaveNow()}>Leave</Button>
      </form>
    </main>
  );
}

export async function leaveNow(): Promise<void> {
  try {
    await leave();
    about.value = undefined;
    lockedOut.value = { why: "You have left. What was shown here is shown no more.", tokens: true };
  } catch (error) {
    complain(error);
  }
}

/** The form itself goes nowhere: what is in it is sent by a script, never in an address. */
function submitting(use: (form: HTMLFormElement) => Promise<void>): (event: SubmitEvent) => void {
  return (event) => {
    event.preventDefault();
    void use(event.currentTarget as HTMLFormElement);
  };
}
