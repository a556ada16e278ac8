// Where the files of a call are: in a store in memory, one per instance, or in the directory of the workspace.
import { Refusal } from "../../core/failure.ts";
import type { CallOptions, Session } from "../../kernel/session.ts";
import { Workspace } from "../../kernel/workspace.ts";
import type { ToolContext } from "../tool.ts";
import { sessionIn } from "../which-workspace.ts";
import { isReading, type Params } from "./params.ts";
import type { Mode, Settings } from "./settings.ts";
import { createRoom, type Room, storeIn } from "./store.ts";
import { noInstance, tooManyStores } from "./words.ts";

export interface Place {
  readonly mode: Mode;
  readonly session: Session;
  readonly call: CallOptions;
  readonly settings: Settings;
  /** The directory, in sandbox mode. */
  readonly root: string;
  warn(...messages: readonly string[]): void;
}

export function placeOf(context: ToolContext, settings: Settings, { instance, command }: Params): Place {
  const { session, call, warn } = context;
  const sandbox = settings.mode === "sandbox" ? sandboxOf(session, settings) : undefined;
  if (sandbox !== undefined) {
    // Without it a writing call would change the file that the name was to keep apart.
    if (instance !== undefined && !isReading(command)) throw noInstance();
    if (instance !== undefined) warn(`${noInstance().failure.message} It was ignored.`);
    return { mode: "sandbox", session: sandbox, call, settings, warn, root: sandbox.workspace.backend.directory! };
  }
  if (settings.mode === "sandbox") {
    warn(
      "Sandbox mode is configured, but no root directory is available: this call used the store in memory, and no file on disk was read or changed.",
    );
  }
  const store = sessionIn(session, storeOf(session.workspace, settings, instance ?? ""));
  return { mode: "store", session: store, call, settings, warn, root: "" };
}

const stores = new WeakMap<Workspace, Map<string, Workspace>>();
const rooms = new WeakMap<Workspace, Room>();

/** Each costs some memory even when it is empty. */
const MOST_STORES = 1000;
/** Of each, besides its files: what a stale edit is explained with. */
const RECENT_BYTES = 256 * 1024;

/** All sessions of a workspace share its stores; other workspaces have their own. */
function storeOf(owner: Workspace, { storeBytes }: Settings, instance: string): Workspace {
  const { allowedActions, readOnly } = owner.policy;
  const room = rooms.get(owner) ?? createRoom(storeBytes);
  rooms.set(owner, room);
  room.most = storeBytes;
  const named = stores.get(owner) ?? new Map<string, Workspace>();
  stores.set(owner, named);
  const known = named.get(instance);
  if (known !== undefined) return known;
  if (room.stores >= MOST_STORES) throw tooManyStores(MOST_STORES);
  const policy = { allowedActions, readOnly, protect: false, maxFileBytes: Number.MAX_SAFE_INTEGER } as const;
  const { onStale, strict } = owner;
  const limits = { ...owner.limits, recentBytes: RECENT_BYTES };
  const store = new Workspace(storeIn(room), { limits, onStale, strict, policy });
  named.set(instance, store);
  return store;
}

/** The directory of the workspace, if it has one. An owner who named another must not have this one opened instead. */
function sandboxOf(session: Session, { root }: Settings): Session | undefined {
  const { directory, relative } = session.workspace.backend;
  if (directory === undefined || root === undefined) return directory === undefined ? undefined : session;
  if (["", "."].includes(relative?.(root) ?? root)) return session;
  throw new Refusal(
    "invalid_input",
    `The configured filesystem root is '${root}', but the workspace is '${directory}'.`,
    {
      next: "Ask the owner to configure one root.",
      details: { code: "RootMismatch" },
      recoverable: false,
    },
  );
}
