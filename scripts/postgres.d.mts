// A real PostgreSQL server for tests.

export interface Postgres {
  readonly url: string;
  readonly port: number;
  /** Where its data are. */
  readonly directory: string;
  readonly pid: number;
  /** "immediate": as if the power failed. */
  stop(mode?: "fast" | "immediate"): Promise<void>;
  /** Again, after a stop; with further settings. */
  start(more?: Readonly<Record<string, string>>): Promise<void>;
  /** Stops it for good, and takes its data away. */
  remove(): Promise<void>;
}

/** Why no server can be started here; undefined when one can. */
export function missingPostgres(): string | undefined;

/** `settings` as in postgresql.conf. `standbyOf`: a copy of that one, which follows it until it is promoted. */
export function startPostgres(options?: {
  readonly settings?: Readonly<Record<string, string | number>>;
  readonly standbyOf?: Postgres;
}): Promise<Postgres>;
