// One file in memory, by its bytes: what is read of them, and what an edit or a write makes of them.
import { bytesOf, type Next, type ReadResult, Refusal, type Splice, type Text } from "stet";
import { path } from "./assertions.ts";
import { memoryWorkspace } from "./workspace.ts";

type Change = (text: Text) => Next;

/** As a session reads it. */
export function readBytesAsText(bytes: Uint8Array, encoding?: string): Promise<ReadResult> {
  const session = memoryWorkspace({ "file.txt": bytes }).session();
  return session.read("file.txt", undefined, encoding === undefined ? {} : { encoding });
}

/** The bytes of the file after a change of its text. */
export async function bytesAfter(bytes: Uint8Array, change: Change, encoding?: string): Promise<Buffer> {
  const workspace = memoryWorkspace({ "file.txt": bytes });
  const target = {
    path: "file.txt",
    proof: { by: "waived" },
    action: "write",
    ...(encoding !== undefined && { encoding }),
  } as const;
  await workspace.session().change([target], ([file]) => [change(file!.text)]);
  return Buffer.from(bytesOf((await workspace.backend.read(path("file.txt")))!));
}

/** The bytes of the file after these splices of its text. */
export function bytesAfterSplices(bytes: Uint8Array, splices: readonly Splice[], encoding?: string): Promise<Buffer> {
  return bytesAfter(bytes, () => ({ splices }), encoding);
}

/** What a promise gives, or undefined where it was refused as one of these kinds. */
export async function unlessRefused<T>(work: Promise<T>, ...kinds: readonly string[]): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof Refusal && kinds.includes(error.kind)) return undefined;
    throw error;
  }
}
