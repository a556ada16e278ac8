// What a kind of lock between processes must be able to do, for the queue that uses it.

export interface Flavour {
  /** Tries once. `waits`: it will be tried again, until it succeeds or `giveUp`. */
  take(waits: boolean): boolean;
  /** Of a lock that is held: it is certain that no other process or thread has held it since this one did. */
  isAlone(): boolean;
  giveUp(): void;
  /** Must not fail: the work is done, and those who wait must go on. */
  drop(): void;
  /** Who has it now, in words, as far as can be told. */
  holder(): string;
  close(): void;
}

export interface FlavourKind {
  /** As recorded in the directory: two processes that write different names here could not see each other's locks. */
  readonly kind: string;
  /** Why this process cannot use it; null when it can. */
  unusable(dir: string): string | null;
  open(dir: string): Flavour;
}
