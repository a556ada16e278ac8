// Which workspace a call means where a policy opened further ones: the first, unless an absolute path lies in another.
import { Refusal } from "../core/failure.ts";
import { printable } from "../core/printable.ts";
import type { Session } from "../kernel/session.ts";
import type { Workspace } from "../kernel/workspace.ts";
import { givenTo, namedPaths } from "./input/named-paths.ts";
import type { AnyTool, Surface } from "./tool.ts";

/** Of the same agent, in the workspace that the paths lie in. Refuses paths of two. */
export function sessionFor(session: Session, surface: Surface, tool: AnyTool, input: unknown): Session {
  const { workspace } = session;
  if (workspace.further.length === 0 || surface.storesElsewhere === true) return session;
  const paths = namedPaths(tool, givenTo(input));
  const [first, ...others] = paths.map((path) => ({ path, home: homeOf(workspace, path) }));
  const other = others.find(({ home }) => home !== first?.home);
  if (first === undefined) return session;
  if (other === undefined) return sessionIn(session, first.home);
  const both = [first, other].map(({ path, home }) => `${printable(path)} is in ${home.backend.directory}`);
  throw new Refusal("invalid_input", `One call has one workspace, but ${both.join(" and ")}.`, {
    path: other.path,
    next: "Make a call for each of them; nothing moves from one to another.",
  });
}

/** The first for what lies in none of them: it refuses that. */
function homeOf(workspace: Workspace, path: string): Workspace {
  const lies = ({ backend }: Workspace): boolean => backend.relative?.(path) !== undefined;
  return lies(workspace) ? workspace : (workspace.further.find(lies) ?? workspace);
}

const FINDING: ReadonlySet<string> = new Set(["search", "glob", "grep", "list"]);

/** Relative paths that were found there would mean the first workspace when they are written in a call. */
export function relativeTo({ workspace }: Session, { actions }: AnyTool, text: string): readonly string[] {
  const directory = workspace.backend.directory ?? "";
  if (!actions.some((action) => FINDING.has(action)) || text.includes(directory)) return [];
  return [`Paths here are relative to ${printable(directory)}; in calls, write them as absolute paths.`];
}

const SESSIONS = new WeakMap<Session, Map<Workspace, Session>>();

/** Of the same agent, which remembers there what it has seen. */
export function sessionIn(session: Session, workspace: Workspace): Session {
  if (workspace === session.workspace) return session;
  const known = SESSIONS.get(session) ?? new Map<Workspace, Session>();
  SESSIONS.set(session, known);
  const { id, agent, owner } = session;
  const there = known.get(workspace) ?? workspace.session({ id, owner, ...(agent !== undefined && { agent }) });
  known.set(workspace, there);
  return there;
}
