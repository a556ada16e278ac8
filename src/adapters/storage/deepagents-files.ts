// Whole files as programs within deepagents take them: its memory, its skills, the conversations that it puts aside.
import type { Refusal } from "../../core/failure.ts";
import { bytesOf } from "../../core/version.ts";
import type { Session } from "../../kernel/session.ts";
import { answerOf } from "../parts/answers.ts";
import { onlyBelowRoot } from "../parts/framework-paths.ts";
import { writeTo } from "./changes.ts";
import type { DeepagentsBackend, FileOperationError } from "./deepagents-types.ts";

/** What is uploaded is made of what was downloaded, or uploaded; where nothing was, the gate is that of the session. */
export function wholeFiles(session: Session): Pick<DeepagentsBackend, "downloadFiles" | "uploadFiles"> {
  const given = new Map<string, string>();
  return {
    downloadFiles: (paths) =>
      eachOf(paths, async (path) => {
        const at = onlyBelowRoot(path);
        const asked = { ...NO_WORDS, tool: "download_files" };
        const read = await answerOf(session, asked, async (call) => (await session.readBytes(at, call)).version);
        if (!("done" in read)) return { path, content: null, error: codeOf(read.refusal) };
        given.set(at, read.done.sha);
        return { path, content: bytesOf(read.done), error: null };
      }),
    uploadFiles: (files) =>
      eachOf(files, async ([path, content]) => {
        const at = onlyBelowRoot(path);
        const sha256 = given.get(at);
        const proof = sha256 === undefined ? ({ by: "session" } as const) : ({ by: "sha256", sha256 } as const);
        const written = { content, proof, strict: sha256 === undefined, createParents: true };
        const asked = { ...NO_WORDS, tool: "upload_files", targets: [{ path: at, action: "write" }] } as const;
        const done = await answerOf(session, asked, async (call) => {
          const { path: place } = await session.resolve(at, "write", call);
          const seen = await session.ledger.get(place);
          const sha = await writeTo(session, at, written, call);
          // The agent was shown nothing of it.
          await (seen === undefined ? session.ledger.delete(place) : session.ledger.set(place, seen));
          return sha;
        });
        given.delete(at);
        if ("done" in done) given.set(at, done.done);
        return { path, error: "done" in done ? null : codeOf(done.refusal) };
      }),
  };
}

/** One after the other: the same path may come twice. */
async function eachOf<From, To>(all: readonly From[], work: (one: From) => Promise<To>): Promise<To[]> {
  const done: To[] = [];
  for (const one of all) done.push(await work(one));
  return done;
}

/** The code is all that deepagents is told. */
const NO_WORDS = { refused: "", words: codeOf };

function codeOf({ kind }: Refusal): FileOperationError {
  if (kind === "not_found") return "file_not_found";
  if (kind === "not_a_file") return "is_directory";
  return kind === "outside_workspace" || kind === "invalid_path" ? "invalid_path" : "permission_denied";
}
