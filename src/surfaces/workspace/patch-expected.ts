// expectedSha256ByPath: keys may spell a path differently than the patch does and must still be found.
import type { Path } from "../../core/backend.ts";
import { Refusal } from "../../core/failure.ts";
import type { Session } from "../../kernel/session.ts";

export type Expected = Readonly<Record<string, string>>;

export interface Expectations {
  /** What is expected of a file that the patch calls `raw`. */
  of(raw: string, path: Path): string | undefined;
  /** Keys that no file of the patch asked for. */
  unused(): string[];
}

export async function expectations(session: Session, expected: Expected): Promise<Expectations> {
  const claims: { key: string; paths: readonly string[]; sha256: string; used: boolean }[] = [];
  for (const [key, sha256] of Object.entries(expected)) {
    claims.push({ key, paths: await spellings(session, key), sha256, used: false });
  }
  return {
    of(raw, path) {
      const found = claims.filter(({ key, paths }) => key === raw || paths.includes(path));
      for (const claim of found) claim.used = true;
      const [first, ...others] = new Set(found.map(({ sha256 }) => sha256));
      if (others.length === 0) return first;
      throw new Refusal("invalid_input", `expectedSha256ByPath expects two different versions of ${raw}.`, {
        path: raw,
        next: "Name each file once.",
      });
    },
    unused: () => claims.filter(({ used }) => !used).map(({ key }) => key),
  };
}

/** Where a key leads, as a link itself and through it; nowhere, when it is no path of this workspace. */
async function spellings(session: Session, key: string): Promise<string[]> {
  const paths: string[] = [];
  for (const link of [false, true]) {
    try {
      paths.push((await session.workspace.backend.resolve(key, { link })).path);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
    }
  }
  return paths;
}
