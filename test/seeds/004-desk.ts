// What the tool-level tests of seed 004 share: a session on a backend, and calls whose results are held to their schema.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import type { Failure } from "../../src/core/failure.ts";
import { lineHash } from "../../src/edit/anchors/index.ts";
import type { Session } from "../../src/kernel/session.ts";
import { writeFile } from "../../src/kernel/verbs.ts";
import { Workspace, type WorkspaceOptions } from "../../src/kernel/workspace.ts";
import { anchors } from "../../src/surfaces/anchors/index.ts";
import { call } from "../../src/surfaces/call.ts";
import type { Surface } from "../../src/surfaces/tool.ts";
import { textAt } from "../../src/testing/assertions.ts";
import type { BACKENDS } from "../support/workspace.ts";
import { expectFollowable } from "./001-004-followable.ts";

type Make = (typeof BACKENDS)[number][1];
type Data = Record<string, unknown>;

export const hash = lineHash;

/** Lines, each ended by a newline. */
export const text = (...lines: string[]) => lines.map((line) => `${line}\n`).join("");

export const numbered = (count: number) => Array.from({ length: count }, (_, i) => `statement ${i + 1};`);

export function desk(
  make: Make,
  files: Record<string, string | Uint8Array>,
  options: WorkspaceOptions = {},
  surface: Surface = anchors,
) {
  const workspace = new Workspace(make(files), options);
  const session = workspace.session({ id: "mine" });
  return {
    workspace,
    session,
    content: (path: string) => textAt(workspace.backend, path),
    done: (name: string, input: Data, who: Session = session) => done(surface, who, name, input),
    refused: (name: string, input: unknown, who: Session = session) => refused(surface, who, name, input),
    /** Another agent of the same workspace writes the file. */
    async other(path: string, content: string) {
      await writeFile(workspace.session({ id: "theirs" }), path, content, {
        proof: { by: "waived" },
        tool: "shell",
        strict: false,
      });
    },
    /** A program that knows nothing of the workspace writes the file; on disk only. */
    outside(path: string, content: string) {
      writeFileSync(join(workspace.backend.directory!, path), content);
    },
  };
}

async function done(surface: Surface, session: Session, name: string, input: Data) {
  const result = await call(session, surface, name, input);
  if (!result.ok) throw new Error(`refused: ${result.text}`);
  const tool = surface.tools.find((each) => each.name === name);
  const { warnings: told, ...own } = result.data as Data;
  expect([tool?.output.parse(own), told]).toEqual([own, result.warnings ?? []]);
  return { data: result.data as Data, text: result.text, warnings: result.warnings ?? [] };
}

async function refused(
  surface: Surface,
  session: Session,
  name: string,
  input: unknown,
): Promise<Failure & { text: string; details: Data }> {
  const result = await call(session, surface, name, input);
  if (result.ok) throw new Error(`not refused: ${result.text}`);
  expectFollowable(surface, name, result.error);
  return { ...result.error, details: result.error.details ?? {}, text: result.text };
}
