// Between stet and the database: cuts connections, before or behind what is sent, or lets them fall silent.

/**
 * What happens to the next COMMIT: it never arrives, or it arrives, at once or late, and the answer does not. Where it
 * is silent, no end is told.
 */
export type Cut = "before" | "behind" | "late" | "silent before" | "silent behind";

export interface DatabaseProxy {
  readonly url: string;
  cutAtCommit(cut: Cut, times?: number): void;
  /** How many were cut so far. */
  readonly cuts: number;
  cutAll(): void;
  /** All connections that are open carry nothing from now on, and no end is told; with `ever`, new ones neither. */
  hush(ever?: boolean): void;
  /** New ones are heard again. */
  speak(): void;
  /** After each piece of up to 64 KiB nothing is carried for so long; 0: as before. */
  slowly(ms: number): void;
  /** While it is down, no connection is accepted. */
  down(isDown: boolean): void;
  /** The server on this port is the database from now on. */
  leadTo(port: number): void;
  close(): Promise<void>;
}

export function startDatabaseProxy(port: number): Promise<DatabaseProxy>;
