// Loading, empty and failed: each says what to do.
import type { ComponentChildren, JSX } from "preact";
import type { Refused } from "../../wire.ts";
import { name } from "../shown.ts";
import type { Loaded } from "../state/loaded.ts";
import { Button } from "./button.tsx";

export function Waiting({ children = "Loading…" }: { readonly children?: ComponentChildren }): JSX.Element {
  return (
    <p class="state" role="status">
      {children}
    </p>
  );
}

export function Empty({ children }: { readonly children: ComponentChildren }): JSX.Element {
  return <div class="state">{children}</div>;
}

/** The same question may be answered next time. */
const MAY_PASS: readonly string[] = ["offline", "unknown", "busy", "timeout", "io_error", "not_allowed"];

export function Failed(props: {
  readonly why: Pick<Refused, "message" | "next"> & Partial<Pick<Refused, "kind">>;
  readonly again?: () => void;
  readonly children?: ComponentChildren;
}): JSX.Element {
  const { why, again, children } = props;
  return (
    <div class="state bad" role="alert">
      <p>{name(why.message)}</p>
      {why.next === undefined ? null : <p>{name(why.next)}</p>}
      {again !== undefined && MAY_PASS.includes(why.kind ?? "unknown") ? (
        <Button onClick={again}>Try again</Button>
      ) : null}
      {children}
    </div>
  );
}

export function WhileLoading<T>(props: {
  readonly loaded: Loaded<T>;
  readonly children: (value: T) => ComponentChildren;
}): ComponentChildren {
  const { value, error, again } = props.loaded;
  // The bar says that nothing answers; what is there can still be read.
  const isShown = value !== undefined && (error === undefined || error.kind === "offline");
  if (isShown) return props.children(value);
  return error === undefined ? <Waiting /> : <Failed why={error} again={again} />;
}
