// A time to be typed or picked: taken when it is whole and left, or by Enter, never while it is being typed.
import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { isNoTime } from "../shown.ts";

export interface TimeFieldProps {
  readonly label: string;
  /** As ISO, in any zone. */
  readonly value: string | undefined;
  onTaken(value: string | undefined): void;
}

export function TimeField({ label, value, onTaken }: TimeFieldProps): JSX.Element {
  const wrong = useSignal(false);
  const take = (field: HTMLInputElement): void => {
    const date = new Date(field.value);
    const isEmpty = field.value === "" && !field.validity.badInput;
    wrong.value = !isEmpty && (isNoTime(date) || date.getFullYear() > 9999);
    if (wrong.value || field.value === localTime(value)) return;
    onTaken(isEmpty ? undefined : date.toISOString());
  };
  return (
    <label>
      {label}
      <input
        type="datetime-local"
        max="9999-12-31T23:59"
        value={localTime(value)}
        aria-invalid={wrong.value}
        onBlur={({ currentTarget }) => take(currentTarget)}
        onKeyDown={({ key, currentTarget }) => {
          if (key === "Enter") take(currentTarget);
        }}
      />
      {wrong.value ? (
        <span role="alert">Not a whole time yet: day, month, year of four digits, hour, minute.</span>
      ) : null}
    </label>
  );
}

/** The control wants the time of the viewer's zone, without the zone. */
function localTime(at: string | undefined): string {
  const date = new Date(at ?? "");
  if (isNoTime(date)) return "";
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}
