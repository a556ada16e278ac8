// The catalogue of attacks, as far as it is about protected paths and their spellings.
import { existsSync, readFileSync } from "node:fs";
import { posix } from "node:path";
import type { Action } from "stet";
import { describe, expect, it } from "vitest";
import { definePolicy } from "../support/policy.ts";

interface Attack {
  readonly id: string;
  readonly title: string;
  readonly op: string;
  readonly expected: string | number;
  readonly args: { readonly path?: string; readonly from?: string; readonly to?: string };
  readonly setup: readonly {
    readonly symlink?: readonly [string, string];
    readonly file?: readonly [string, string];
  }[];
}

const catalogue = new URL("../../../shared/data/attacks.json", import.meta.url);
const attacks: readonly Attack[] = existsSync(catalogue) ? JSON.parse(readFileSync(catalogue, "utf8")).cases : [];
const denied = attacks.filter(({ expected }) =>
  /^protected_path|^denied|^no_result_from_denied_file/.test(String(expected)),
);
const actions: Readonly<Record<string, Action>> = { read: "read", write: "write", move: "move", grep: "search" };

/** What resolution would hand to the policy: dots gone, links followed, and the state directory under its own name. */
function canonical(path: string, attack: Attack): string {
  const link = attack.setup.find((step) => step.symlink !== undefined)?.symlink;
  const name = link?.[1].replace("$WS/", "");
  const followed = link !== undefined && path.startsWith(`${name}/`) ? link[0] + path.slice(name!.length) : path;
  return posix.normalize(followed.replace(/^\.filekit\//, ".stet/"));
}

describe.skipIf(attacks.length === 0)("the catalogue of attacks (skipped where it is not there)", () => {
  const policy = definePolicy();

  it("has the cases", () => expect(denied.length).toBeGreaterThan(14));

  it.each(denied.map((attack) => [attack.id, attack.title, attack] as const))("%s %s", (_id, _title, attack) => {
    const file = attack.setup.find((step) => step.file !== undefined)?.file?.[0].replace("$WS/", "");
    const paths = [attack.args.path, attack.args.from, attack.args.to].filter((path) => path !== undefined);
    const touched = paths.length === 0 ? [file!] : paths.map((path) => canonical(path, attack));
    const action = actions[attack.op]!;
    expect(touched.filter((path) => !policy.allows(path, action))).not.toEqual([]);
  });

  it("ATK-080 and ATK-119: an invisible character does not hide a name, and no trash of .env can be listed or restored", () => {
    expect(policy.allows(".e\u200bnv", "write")).toBe(false);
    for (const action of ["list", "restore", "undo", "purge"] as const)
      expect(policy.allows(".env", action)).toBe(false);
  });

  it("ATK-025: the root cannot be moved", () => expect(policy.allows("", "move")).toBe(false));
});
