// What a server's role needs of each table, and no more: it cannot change or remove an entry of the journal.

export const PRIVILEGES: Readonly<Record<string, readonly string[]>> = {
  stet_schema: ["select"],
  workspace: ["select", "insert", "update"],
  node: ["select", "insert", "update"],
  blob: ["select", "insert", "update", "delete"],
  chunk: ["select", "insert"],
  entry: ["select", "insert"],
  change: ["select", "insert"],
  used: ["select", "insert", "update"],
  token: ["select"],
  quota: ["select"],
  pace: ["select", "update"],
  seen: ["select", "insert", "update", "delete"],
};
