// The key of this page: what it shows besides the cookie. Browsers keep it for this address alone, port and all, and for all tabs of it.

const PLACE = "stet-page";
/** Where the browser keeps nothing, this tab does, until it is closed. */
let held: string | undefined;
/** Sent where there is none. */
export const NO_KEY = "none";

export function keyNow(): string {
  try {
    return localStorage.getItem(PLACE) ?? held ?? NO_KEY;
  } catch {
    return held ?? NO_KEY;
  }
}

export function keepKey(key: string | undefined): void {
  held = key;
  try {
    if (key === undefined) localStorage.removeItem(PLACE);
    else localStorage.setItem(PLACE, key);
  } catch {
    // held
  }
}
