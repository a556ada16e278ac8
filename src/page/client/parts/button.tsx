// What is pressed: never submits a form, and waits for nothing.
import type { ComponentChildren, JSX } from "preact";

interface ButtonProps {
  readonly class?: "small" | "plain" | "primary" | "back" | "chip";
  readonly title?: string;
  readonly disabled?: boolean;
  readonly pressed?: boolean;
  readonly autofocus?: boolean;
  readonly children: ComponentChildren;
  onClick(): unknown;
}

export function Button({ pressed, onClick, ...rest }: ButtonProps): JSX.Element {
  return <button type="button" aria-pressed={pressed} onClick={() => void onClick()} {...rest} />;
}
