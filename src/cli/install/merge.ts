// What it means to put a server into a client's configuration.

export interface Merge {
  readonly file: string;
  readonly key: string;
  readonly name: string;
  readonly entry: Readonly<Record<string, unknown>>;
}

export interface Merged {
  readonly text: string;
  /** differs: another entry of this name is there; `text` has it replaced. */
  readonly state: "added" | "same" | "differs";
  readonly existing?: unknown;
}
