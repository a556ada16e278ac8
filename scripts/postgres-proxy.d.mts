// Between stet and the database: cuts connections, before or behind what is sent.

/** What happens to the next COMMIT: it never arrives, or it arrives and the answer does not. */
export type Cut = "before" | "behind";

export interface DatabaseProxy {
  readonly url: string;
  cutAtCommit(cut: Cut, times?: number): void;
  /** How many were cut so far. */
  readonly cuts: number;
  cutAll(): void;
  /** While it is down, no connection is accepted. */
  down(isDown: boolean): void;
  /** The server on this port is the database from now on. */
  leadTo(port: number): void;
  close(): Promise<void>;
}

export function startDatabaseProxy(port: number): Promise<DatabaseProxy>;
