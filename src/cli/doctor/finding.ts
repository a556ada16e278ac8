// One line of a diagnosis: what was looked at, how it is, and what that means for the user.

export interface Finding {
  readonly about: string;
  readonly state: "ok" | "warn" | "fail";
  readonly what: string;
  /** What follows from it, or what to do. */
  readonly means?: string;
}

export function ok(about: string, what: string, means?: string): Finding {
  return { about, state: "ok", what, ...(means !== undefined && { means }) };
}

export function warn(about: string, what: string, means: string): Finding {
  return { about, state: "warn", what, means };
}

export function fail(about: string, what: string, means: string): Finding {
  return { about, state: "fail", what, means };
}
