// Where the files of a call are: in a store in memory, one per instance, or in the directory of the workspace.
import { disk } from "../../backends/disk/index.ts";
import { Refusal } from "../../core/failure.ts";
import type { CallOptions, Session } from "../../kernel/session.ts";
import { Workspace, type WorkspaceOptions } from "../../kernel/workspace.ts";
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
const sandboxes = new WeakMap<Workspace, Map<string, Workspace>>();

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
  return kept(stores, owner, instance, () => {
    if (room.stores >= MOST_STORES) throw tooManyStores(MOST_STORES);
    const policy = { allowedActions, readOnly, protect: false, maxFileBytes: Number.MAX_SAFE_INTEGER } as const;
    const settings = settingsLike(owner);
    const limits = { ...settings.limits, recentBytes: RECENT_BYTES };
    return new Workspace(storeIn(room), { ...settings, limits, policy });
  });
}

/** The session's own directory; else the configured one, if it can be opened. */
function sandboxOf(session: Session, { root }: Settings): Session | undefined {
  const { workspace } = session;
  if (root === undefined) return workspace.backend.directory === undefined ? undefined : session;
  const configured = opened(workspace, root);
  const own = workspace.backend.directory;
  if (own === undefined) return configured && sessionIn(session, configured);
  if (configured?.backend.directory === own) return session;
  throw new Refusal("invalid_input", `The configured filesystem root is '${root}', but the workspace is '${own}'.`, {
    next: "Ask the owner to configure one root.",
    details: { code: "RootMismatch" },
    recoverable: false,
  });
}

function opened(owner: Workspace, root: string): Workspace | undefined {
  const { policyInput: policy } = owner;
  try {
    const options = { ...settingsLike(owner), ...(policy !== undefined && { policy }) };
    return kept(sandboxes, owner, root, () => new Workspace(disk({ root }), options));
  } catch (error) {
    if (error instanceof Refusal) return undefined;
    throw error;
  }
}

function settingsLike({ limits, onStale, strict }: Workspace): WorkspaceOptions {
  return { limits, onStale, strict };
}

function kept(
  all: WeakMap<Workspace, Map<string, Workspace>>,
  owner: Workspace,
  name: string,
  make: () => Workspace,
): Workspace {
  const named = all.get(owner) ?? new Map<string, Workspace>();
  all.set(owner, named);
  const workspace = named.get(name) ?? make();
  named.set(name, workspace);
  return workspace;
}
