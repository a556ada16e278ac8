// What the server is: its workspaces, who looks, and whether they may take anything back.
import { signal } from "@preact/signals";
import { ask } from "../api.ts";
import type { StateAnswer } from "../wire.ts";
import { complain } from "./said.ts";

export const about = signal<StateAnswer | undefined>(undefined);

export async function loadAbout(): Promise<void> {
  try {
    about.value = await ask<StateAnswer>("state");
  } catch (error) {
    complain(error);
  }
}

export function mayChange(w: string): boolean {
  const place = about.value?.workspaces.find((each) => each.w === w);
  return about.value?.mayChange === true && place?.readOnly === false;
}
