// What the server is: its workspaces, who looks, and whether they may take anything back.
import { signal } from "@preact/signals";
import type { StateAnswer } from "../../wire.ts";
import { ask } from "../api.ts";
import { go, pinned, route } from "./route.ts";
import { complain } from "./said.ts";

export const about = signal<StateAnswer | undefined>(undefined);

/** Where workspaces are found by name, an entry that a colleague sent says which. */
export async function loadAbout(): Promise<void> {
  try {
    const { w, ws } = route.value;
    about.value = await ask<StateAnswer>("state", { w: w ?? ws });
    pinned.value = about.value.names !== undefined;
    const [found] = about.value.workspaces;
    if (pinned.value && w === undefined && found !== undefined) go({ w: found.w }, "replace");
  } catch (error) {
    complain(error);
  }
}

/** Whether a workspace has to be named before there is anything to see. */
export function isToBeNamed(): boolean {
  return about.value?.names !== undefined && about.value.workspaces.length === 0;
}

export function mayChange(w: string): boolean {
  const place = about.value?.workspaces.find((each) => each.w === w);
  return about.value?.mayChange === true && place?.readOnly === false;
}
