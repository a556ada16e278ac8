// Whole files as programs within deepagents take them: its memory, its skills, the conversations that it puts aside.
import type { Sha } from "../../core/backend.ts";
import { Refusal } from "../../core/failure.ts";
import { bytesOf } from "../../core/version.ts";
import type { Session } from "../../kernel/session.ts";
import { relativeIn } from "../parts/framework-paths.ts";
import { writeTo } from "./changes.ts";
import type { DeepagentsBackend, FileOperationError } from "./deepagents-types.ts";

/** What is uploaded is made of what was downloaded; where nothing was, the gate is that of the session. */
export function wholeFiles(session: Session): Pick<DeepagentsBackend, "downloadFiles" | "uploadFiles"> {
  const given = new Map<string, Sha>();
  return {
    downloadFiles: (paths) =>
      eachOf(paths, async (path) => {
        const at = relativeIn(session, path);
        const read = await codeUnless(async () => (await session.readBytes(at, { tool: "download_files" })).version);
        if (typeof read === "string") return { path, content: null, error: read };
        given.set(at, read.sha);
        return { path, content: bytesOf(read), error: null };
      }),
    uploadFiles: (files) =>
      eachOf(files, async ([path, content]) => {
        const at = relativeIn(session, path);
        const sha256 = given.get(at);
        const proof = sha256 === undefined ? ({ by: "session" } as const) : ({ by: "sha256", sha256 } as const);
        const written = { content, proof, strict: sha256 === undefined, createParents: true };
        const done = await codeUnless(() => writeTo(session, at, written, { tool: "upload_files" }).then(() => null));
        given.delete(at);
        return { path, error: done };
      }),
  };
}

/** One after the other: the same path may come twice. */
async function eachOf<From, To>(all: readonly From[], work: (one: From) => Promise<To>): Promise<To[]> {
  const done: To[] = [];
  for (const one of all) done.push(await work(one));
  return done;
}

async function codeUnless<T>(work: () => Promise<T>): Promise<T | FileOperationError> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Refusal) return codeOf(error);
    throw error;
  }
}

function codeOf({ kind }: Refusal): FileOperationError {
  if (kind === "not_found") return "file_not_found";
  if (kind === "not_a_file") return "is_directory";
  return kind === "outside_workspace" || kind === "invalid_path" ? "invalid_path" : "permission_denied";
}
