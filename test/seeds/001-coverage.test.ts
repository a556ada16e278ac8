// Seed 001, sentence by sentence, and the tests that show what it asks for.
import { BACKGROUND, HEADING, holdSeed, type Row } from "./coverage.ts";

const ROWS: readonly Row[] = [
  ["Read tracker", HEADING],
  [
    "A ReadTracker is a concurrent-safe set of canonical absolute paths that have been Read during the current MCP session.",
    "concurrent calls are safe",
    "other spellings of a path share the mark",
    "one tracker per session: what another agent read does not count",
  ],
  [
    "It exists to prevent blind mutation: an agent must look at a file before it modifies it.",
    "Write refuses to overwrite a file that was not read",
    "Edit refuses to edit a file that was not read",
  ],
  ["The contract", HEADING],
  ["Section titled “The contract”", HEADING],
  [
    "Read— on success, callsMarkRead(absPath).",
    "Read marks on success: Write and Edit follow",
    "a Read that failed does not mark: %s",
  ],
  [
    "Write(overwrite) — requiresHasBeenRead(absPath); otherwise errors withrefusing to overwrite %s: Read it first.",
    "Write refuses to overwrite a file that was not read",
    "refusals name the path as typed: %s",
  ],
  ["Write(new file) — no prior Read needed.", "Write of a new file needs no Read"],
  [
    "Edit— ALWAYS requiresHasBeenRead(absPath); otherwise errors withrefusing to edit %s: Read it first.",
    "Edit refuses to edit a file that was not read",
    "refusals name the path as typed: %s",
  ],
  [
    "After a successful Write, the path is marked Read automatically — so an agent can Write then Edit without a manual re-Read.",
    "Write marks: Write then Edit without a Read",
    "a Write that was refused does not mark",
  ],
  ["Why canonical paths", HEADING],
  ["Section titled “Why canonical paths”", HEADING],
  [
    "The tracker keys on the canonical resolved path (post-Workspace.Resolve).",
    "other spellings of a path share the mark",
    "absolute paths inside the root are fine, and share the mark",
  ],
  [
    "Symlinks resolve to their target, so link.txt and real.txt (where link.txt → real.txt) share a single tracker entry.",
    "reading %s opens %s",
  ],
  [
    "An agent can’t slip past the gate by reading through one name and writing through the other.",
    "a gate cannot be slipped past by another name",
  ],
  ["Lifetime", HEADING],
  ["Section titled “Lifetime”", HEADING],
  [
    "One tracker per sandbox server instance (constructed in server.New). Since the sandbox is one container per agent session, the tracker’s lifetime matches the session’s lifetime.",
    "one tracker per session: what another agent read does not count",
  ],
  ["No cross-session persistence;", "no cross-session persistence: a workspace that is opened again remembers no Read"],
  ["no eviction;", "no eviction: the first of many files read may still be edited"],
  ["no TTL.", "no TTL: a Read counts however long ago it was"],
  ["Concurrency", HEADING],
  ["Section titled “Concurrency”", HEADING],
  [
    "sync.RWMutex protects the underlying map. HasBeenRead takes the read lock; MarkRead takes the write lock.",
    "— how another program does it",
  ],
  ["Concurrent agent calls are safe.", "concurrent calls are safe"],
  ["Interaction with Bash", HEADING],
  ["Section titled “Interaction with Bash”", HEADING],
  [
    "Bash commands that modify files (echo foo > bar.txt, git checkout, sed -i) do NOT update the tracker.",
    "a file that a shell made was not read",
    "reading with a shell does not mark",
    "after %s an Edit whose text is still there is applied, with a warning",
    "git checkout",
  ],
  [
    "This is deliberate: if the agent wants to Edit bar.txt after a Bash modification, it should Read the new contents first anyway — otherwise the agent’s mental model of the file is stale, and Edit may replace text that no longer exists.",
    "after %s an Edit whose text is still there is applied, with a warning",
    "text that the shell took away is not found, what changed is told, and the file stays",
    "strict refuses %s of a changed file, with what changed",
  ],
  ["Not security", HEADING],
  ["Section titled “Not security”", HEADING],
  ["The tracker is an ergonomic / correctness feature, not a security one.", BACKGROUND],
  [
    "An agent determined to overwrite without reading could delete the file and Write a new one (no Read required for new files).",
    "not security: a file that was deleted can be written again unseen",
    "delete drops the entry: the path is new again, and needs no Read",
  ],
  ["The check prevents common mistakes where an agent’s mental model of a file is wrong.", BACKGROUND],
];

holdSeed("001", ROWS);
