// Which calls of Mastra on a file system belong to one call of one of its tools, and so what that tool does.
//
// A file system is not told for what a file is read. But Mastra's tools that read, edit and write a file ask it for its
// `basePath` when they begin, and all that they do after that is in the same asynchronous context. There, the read tool
// asks for the `stat` of the file, reads it, and asks for the `stat` again when it has its answer; an edit tool looks
// whether the file system is `readOnly`, reads the file, and writes it. So a read counts as shown with the second `stat`,
// and a write was made of what the same call has read. All other reads, of searches, indexes and programs, show nothing.
//
// For the journal: between begin and execution, which begins with `getInfo`, Mastra asks for the `stat` of what is to be
// written; and right after it looked whether the file system is `readOnly`, an edit tool reads and the delete tool asks
// for the `stat`.
import { AsyncLocalStorage } from "node:async_hooks";
import type { Sha } from "../../core/backend.ts";

export interface ToolCalls {
  /** A tool that reads or writes a file begins. */
  begins(): void;
  /** The tool of this call is executed. */
  executes(): void;
  /** The tool of this call is one that writes: what it reads is shown to nothing. */
  writes(): void;
  /** Whether the `stat` that is asked for now comes before the execution of a tool that writes. */
  isBefore(): boolean;
  /** Whether the `stat` that is asked for now is one of the read tool. */
  reads(): boolean;
  /** Whether the `stat` that is asked for now is one of the delete tool. */
  deletes(): boolean;
  /** Whether the read that begins now is one of an edit tool. */
  edits(): boolean;
  /** Whether the read that begins now is one of the read tool. */
  toShow(path: string): boolean;
  /** This version was read. */
  given(path: string, sha: Sha, show: () => Promise<void>): void;
  /** The `stat` of this file is asked for. */
  asked(path: string): Promise<void>;
  /** The version that a write was made of, if the same call has read one. */
  source(path: string): Sha | undefined;
}

interface ToolCall {
  executes: boolean;
  writes: boolean;
  /** Just now, at whether anything may be written. */
  looks: boolean;
  readonly stats: Set<string>;
  readonly reads: Map<string, { readonly sha: Sha; show: (() => Promise<void>) | undefined }>;
}

export function toolCalls(): ToolCalls {
  const calls = new AsyncLocalStorage<ToolCall>();
  // Older versions of Node.js keep contexts apart from the first use on.
  calls.run(newCall(), () => {});
  const toShow = (path: string): boolean => {
    const call = calls.getStore();
    return call !== undefined && !call.writes && call.stats.has(path);
  };
  // of programs that call the file system themselves
  const outside = newCall();
  const current = (): ToolCall => calls.getStore() ?? outside;
  return {
    begins: () => calls.enterWith(newCall()),
    executes() {
      const call = calls.getStore();
      if (call !== undefined) call.executes = true;
    },
    writes() {
      const call = current();
      if (call !== outside) call.writes = true;
      call.looks = true;
      queueMicrotask(() => {
        call.looks = false;
      });
    },
    isBefore: () => calls.getStore()?.executes === false,
    reads: () => calls.getStore()?.writes === false,
    deletes: () => current().looks,
    edits: () => current().looks || calls.getStore()?.writes === true,
    toShow,
    given(path, sha, show) {
      calls.getStore()?.reads.set(path, { sha, show: toShow(path) ? show : undefined });
    },
    async asked(path) {
      const call = calls.getStore();
      call?.stats.add(path);
      const read = call?.reads.get(path);
      const show = read?.show;
      if (read === undefined || show === undefined || call?.writes === true) return;
      read.show = undefined;
      await show();
    },
    source: (path) => calls.getStore()?.reads.get(path)?.sha,
  };
}

function newCall(): ToolCall {
  return { executes: false, writes: false, looks: false, stats: new Set(), reads: new Map() };
}
