// What a configuration that was not named may not say: it may have come with a project, and speaks for its author.
import { LIMITS } from "../../../core/limits.ts";
import { MAX_MESSAGE_BYTES } from "../../../serve/message-bytes.ts";
import { type Complaint, keyOf } from "./complaints.ts";
import type { ConfigFile } from "./config-file.ts";
import type { Config } from "./schema.ts";

type Policy = NonNullable<Config["policy"]>;
type At = (string | number)[];

/** Every path is compared with all of them. */
const MOST_GLOBS = 1000;

/** Roots, states and who may connect are looked at where they are used. */
export function refuseFound(file: ConfigFile): void {
  const { config, path } = file;
  const policies: [Policy | undefined, At][] = [
    [config.policy, ["policy"]],
    ...(config.roots ?? []).map((root, index): [Policy | undefined, At] => [
      typeof root === "string" ? undefined : root.policy,
      ["roots", index, "policy"],
    ]),
  ];
  const complaints = [
    ...policies.flatMap(([policy, at]) => (policy === undefined ? [] : aboutPolicy(policy, at))),
    ...Object.entries(config.limits ?? {}).flatMap(([name, value]) =>
      aboutNumber(value as number | undefined, LIMITS[name as keyof typeof LIMITS], ["limits", name]),
    ),
    ...aboutNumber(config.maxMessageBytes, MAX_MESSAGE_BYTES, ["maxMessageBytes"]),
    ...aboutNumber(config.http?.maxBodyBytes, MAX_MESSAGE_BYTES, ["http", "maxBodyBytes"]),
  ];
  if (complaints.length === 0) return;
  throw file.refuseAll(
    complaints.map(({ at, what }) => ({ at, what: `${what}. If you trust it, start with --config ${path}` })),
  );
}

function aboutPolicy(policy: Policy, at: At): Complaint[] {
  const { protect } = policy;
  const loosens = protect === false || Array.isArray(protect) || (protect?.remove ?? []).length > 0;
  const what = `${keyOf([...at, "protect"])}: a file that was only found may not take away the protection of secrets, keys, hooks and the like`;
  const globs = globsIn(policy);
  const tooMany = `${keyOf(at)}: a file that was only found may have ${MOST_GLOBS} globs at most, found ${globs}`;
  return [
    ...(globs > MOST_GLOBS ? [{ at, what: tooMany }] : []),
    ...(protect !== undefined && loosens ? [{ at: [...at, "protect"], what }] : []),
    ...(["maxFileBytes", "max_file_size"] as const).flatMap((key) =>
      aboutNumber(policy[key], LIMITS.maxFileBytes, [...at, key]),
    ),
  ];
}

function globsIn({ allowedPaths, allowed_paths, deniedPaths, denied_paths, protect }: Policy): number {
  const rules =
    protect === undefined || protect === false ? [] : Array.isArray(protect) ? protect : (protect.add ?? []);
  const lists = [
    allowedPaths,
    allowed_paths,
    deniedPaths,
    denied_paths,
    ...rules.flatMap((rule) => [rule.paths, rule.except]),
  ];
  return lists.reduce((sum, list) => sum + (list?.length ?? 0), 0);
}

/** The defaults are the most: several numbers that are each a little larger fill a machine together. */
function aboutNumber(value: number | undefined, usual: number, at: At): Complaint[] {
  if (value === undefined || value <= usual) return [];
  const what = `${keyOf(at)}: a file that was only found may say ${usual} at most, which is the default, found ${value}`;
  return [{ at, what }];
}
