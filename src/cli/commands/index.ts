// The table of commands. Each is loaded when it is asked for: what a command does not need must not slow its start.
import type { Command } from "../options/command.ts";

const TABLE = {
  mcp: () => import("./mcp.ts").then(({ mcp }) => mcp),
  serve: () => import("./serve.ts").then(({ serve }) => serve),
  ui: () => import("./ui.ts").then(({ ui }) => ui),
  init: () => import("./init.ts").then(({ init }) => init),
  install: () => import("./install.ts").then(({ install }) => install),
  tools: () => import("./tools.ts").then(({ tools }) => tools),
  call: () => import("./call.ts").then(({ call }) => call),
  log: () => import("./history/log.ts").then(({ log }) => log),
  show: () => import("./history/show.ts").then(({ show }) => show),
  undo: () => import("./history/undo.ts").then(({ undo }) => undo),
  trash: () => import("./history/trash.ts").then(({ trash }) => trash),
  restore: () => import("./history/restore.ts").then(({ restore }) => restore),
  history: () => import("./history/history.ts").then(({ history }) => history),
  verify: () => import("./history/verify.ts").then(({ verify }) => verify),
  gc: () => import("./history/gc.ts").then(({ gc }) => gc),
  push: () => import("./transfer.ts").then(({ push }) => push),
  pull: () => import("./transfer.ts").then(({ pull }) => pull),
  policy: () => import("./policy.ts").then(({ policy }) => policy),
  token: () => import("./database.ts").then(({ token }) => token),
  quota: () => import("./database.ts").then(({ quota }) => quota),
  workspaces: () => import("./database.ts").then(({ workspaces }) => workspaces),
  doctor: () => import("./doctor.ts").then(({ doctor }) => doctor),
} satisfies Record<string, () => Promise<Command>>;

export const commandNames: readonly string[] = Object.keys(TABLE);

export async function loadCommand(name: string): Promise<Command | undefined> {
  return Object.hasOwn(TABLE, name) ? TABLE[name as keyof typeof TABLE]() : undefined;
}
