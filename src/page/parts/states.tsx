// Loading, empty and failed: each says what to do.
import type { ComponentChildren, JSX } from "preact";
import { name } from "../shown.ts";
import type { Loaded } from "../state/loaded.ts";

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

export function WhileLoading<T>(props: {
  readonly loaded: Loaded<T>;
  readonly children: (value: T) => ComponentChildren;
}): ComponentChildren {
  const { value, error, again } = props.loaded;
  if (error !== undefined) {
    return (
      <div class="state bad" role="alert">
        <p>{name(error)}</p>
        <button type="button" onClick={again}>
          Try again
        </button>
      </div>
    );
  }
  return value === undefined ? <Waiting /> : props.children(value);
}
