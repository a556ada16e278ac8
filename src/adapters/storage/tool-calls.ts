// Which calls of Mastra on a file system belong to one call of one of its tools, and so what that tool does.
//
// A file system is not told for what a file is read. But Mastra's tools that read, edit and write a file ask it for its
// `basePath` when they begin, and all that they do after that is in the same asynchronous context. There, the read tool
// asks for the `stat` of the file, reads it, and asks for the `stat` again when it has its answer; an edit tool looks
// whether the file system is `readOnly`, reads the file, and writes it. So a read counts as shown with the second `stat`,
// and a write was made of what the same call has read. All other reads, of searches, indexes and programs, show nothing.
import { AsyncLocalStorage } from "node:async_hooks";
import type { Sha } from "../../core/backend.ts";

export interface ToolCalls {
  /** A tool that reads or writes a file begins. */
  begins(): void;
  /** The tool of this call is one that writes: what it reads is shown to nothing. */
  writes(): void;
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
  writes: boolean;
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
  return {
    begins: () => calls.enterWith(newCall()),
    writes() {
      const call = calls.getStore();
      if (call !== undefined) call.writes = true;
    },
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
  return { writes: false, stats: new Set(), reads: new Map() };
}
