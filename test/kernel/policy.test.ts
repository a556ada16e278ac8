// What the policy allows and denies, and which rule it names.
import { type Action, Refusal } from "stet";
import { describe, expect, it } from "vitest";
import { definePolicy } from "../support/policy.ts";

const standard = definePolicy();
const ACTIONS = standard.allowedActions;
const READING = ACTIONS.filter((action) => definePolicy({ readOnly: true }).allows("a", action));

function allowedActions(path: string, policy = standard): Action[] {
  return ACTIONS.filter((action) => policy.allows(path, action));
}

describe("the default policy", () => {
  it.each([["src/index.ts"], [".gitignore"], [".github/workflows/ci.yml"], ["package.json"]])(
    "lets agents do everything with %s",
    (path) => expect(allowedActions(path)).toEqual(ACTIONS),
  );

  it.each([
    [".env"],
    [".env.local"],
    ["apps/web/.env.production"],
    ["server.pem"],
    ["certs/tls.key"],
    ["id_rsa"],
    ["home/.ssh/config"],
    [".npmrc"],
    [".netrc"],
    [".aws/credentials"],
    ["config/secrets/db.json"],
    [".kube/config"],
    [".git/config"],
    ["sub/.git/config"],
    [".git/modules/a/b/config"],
    [".git-credentials"],
    [".stet/journal/0.jsonl"],
    ["sub/.stet"],
  ])("keeps %s from agents altogether", (path) => expect(allowedActions(path)).toEqual([]));

  it.each([
    [".git"],
    [".git/hooks/pre-commit"],
    [".git/HEAD"],
    ["vendor/lib/.git/hooks/post-checkout"],
    [".gitmodules"],
    ["vendor/.jj/repo/config.toml"],
    [".config/mise/conf.d/tools.toml"],
    [".vscode/tasks.json"],
    ["my.code-workspace"],
    [".idea/runConfigurations/all.xml"],
    [".claude/settings.json"],
    [".claude/hooks/run.sh"],
    [".mcp.json"],
    [".cursor/mcp.json"],
    [".husky/pre-commit"],
    [".devcontainer/devcontainer.json"],
    [".bashrc"],
    [".config/fish/config.fish"],
    ["Library/LaunchAgents/x.plist"],
  ])("lets agents read %s but not change it", (path) => expect(allowedActions(path)).toEqual(READING));

  it.each([[".env.example"], ["app/.env.sample"], [".env.template"], [".env.production.example"]])(
    "spares %s",
    (path) => expect(allowedActions(path)).toEqual(ACTIONS),
  );

  it("spares an example, not what is hidden below one", () => {
    expect(allowedActions(".env.example/.env")).toEqual([]);
    expect(allowedActions(".env/.env.example")).toEqual([]);
  });

  it.each([
    [".GIT/config"],
    [".Env"],
    [".g\u200cit/config"],
    [".e\u200bnv"],
    [".git\u00ad/config"],
    [".git./config"],
    [".git /config"],
    [".git . ./config"],
    [".git::$INDEX_ALLOCATION/config"],
    [".env::$DATA"],
    [".env:hidden"],
    [".git\\hooks\\pre-commit"],
    ["a\\.env"],
    [".git//config"],
    ["./.git/./config"],
    ["．ｇｉｔ/config"],
    ["ID_RSA"],
    ["x/SERVER.PEM"],
    [".\u017fsh/config"],
    ["a\n/.env"],
    [".env/..namedfork/rsrc"],
  ])("sees through the spelling %j", (path) => expect(standard.allows(path, "write")).toBe(false));

  it.each([
    ["environment.ts"],
    ["git/config"],
    ["keys.ts"],
    ["monkey"],
    ["src/secretsmanager.ts"],
    ["id.rsa.ts"],
    ["a~1"],
    ["x.env.ts"],
  ])("does not take %s for something else", (path) => expect(allowedActions(path)).toEqual(ACTIONS));

  it("never lets the root be changed, nor anything that is not a path in the workspace", () => {
    expect(allowedActions("")).toEqual(READING);
    expect(allowedActions(".")).toEqual(READING);
    expect(allowedActions("../x")).toEqual([]);
    expect(allowedActions("a/../../x")).toEqual([]);
    expect(allowedActions("/etc/passwd")).toEqual([]);
  });

  it("denies an action that it does not know", () => {
    expect(standard.allows("a", "execute" as Action)).toBe(false);
  });
});

describe("explain and check", () => {
  it("name the rule, where it comes from and why", () => {
    expect(standard.explain("a/.env", "read")).toEqual({
      allowed: false,
      rule: "**/.env*",
      source: "default",
      reason: "environment files hold secrets",
    });
    expect(standard.explain("a.ts", "write")).toMatchObject({ allowed: true, rule: "none", source: "default" });
    expect(standard.explain(".stet/x", "read")).toMatchObject({ source: "built-in" });
    expect(definePolicy({ readOnly: true }).explain("a", "edit")).toMatchObject({
      rule: "readOnly",
      source: "read-only",
    });
    expect(definePolicy({ deniedPaths: ["docs"] }).explain("docs/a", "read")).toMatchObject({
      rule: "docs",
      source: "owner",
    });
    expect(definePolicy({ allowedPaths: ["src/**"] }).explain("src/a", "read")).toMatchObject({
      allowed: true,
      rule: "src/**",
    });
  });

  it("refuse with the path, the rule and the next action", () => {
    let refusal: unknown;
    try {
      standard.check(".env", "read");
    } catch (error) {
      refusal = error;
    }
    expect(refusal).toBeInstanceOf(Refusal);
    expect((refusal as Refusal).failure).toEqual({
      kind: "permission_denied",
      message: 'The policy denies "read" on .env: environment files hold secrets (rule: **/.env*).',
      path: ".env",
      suggestedAction:
        "Leave it as it is and go on without it, or ask the owner of the workspace to change the policy.",
      details: { action: "read", rule: "**/.env*", source: "default" },
      recoverable: false,
    });
    expect(standard.check("a.ts", "read")).toBeUndefined();
  });
});

describe("an owner's policy", () => {
  it("limits the actions", () => {
    const policy = definePolicy({ allowed_actions: ["read", "write", "glob", "grep"] });
    expect(allowedActions("a", policy)).toEqual(["read", "search", "create", "write"]);
    expect(policy.allowedActions).toEqual(["read", "search", "create", "write"]);
    expect(allowedActions("a", definePolicy({ allowedActions: [] }))).toEqual([]);
  });

  it("denies before it allows", () => {
    const policy = definePolicy({ allowedPaths: ["**"], deniedPaths: ["src/private/**", "*.lock"] });
    expect(allowedActions("src/a.ts", policy)).toEqual(ACTIONS);
    expect(allowedActions("src/private/a.ts", policy)).toEqual([]);
    expect(allowedActions("src/private", policy)).toEqual([]);
    expect(allowedActions("SRC/Private/a.ts", policy)).toEqual([]);
    expect(allowedActions("yarn.lock", policy)).toEqual([]);
    expect(allowedActions(".env", policy)).toEqual([]);
  });

  it("denies what matches no allowed path, but shows the way to those that do", () => {
    const policy = definePolicy({ allowedPaths: ["packages/*/src/**", "docs/"] });
    expect(allowedActions("packages/a/src/x.ts", policy)).toEqual(ACTIONS);
    expect(allowedActions("docs/a.md", policy)).toEqual(ACTIONS);
    expect(allowedActions("packages/a/package.json", policy)).toEqual([]);
    expect(allowedActions("packages/a", policy)).toEqual(["list"]);
    expect(allowedActions("packages", policy)).toEqual(["list"]);
    expect(allowedActions("", policy)).toEqual(["list", "search"]);
    expect(allowedActions("other", policy)).toEqual([]);
    expect(allowedActions("PACKAGES/a/src/x.ts", policy)).toEqual([]);
  });

  it("reads globs from the root, however they say it", () => {
    const at = (allowed: string) =>
      definePolicy({ allowed_paths: [allowed] }, { root: "/work/[x]" }).allows("src/a", "read");
    expect(at("{{workdir}}/**")).toBe(true);
    expect(at("{{ workdir }}/src/*")).toBe(true);
    expect(at("{{workdir}}")).toBe(true);
    expect(at("/work/[x]/src/**")).toBe(true);
    expect(at("/work/[x]")).toBe(true);
    expect(at("./src/**")).toBe(true);
    expect(at(".")).toBe(true);
    expect(at("/tmp/**")).toBe(false);
  });

  it("accepts an allowed path outside the workspace, which matches nothing, and says so", () => {
    const policy = definePolicy({ allowed_paths: ["{{workdir}}/**", "/tmp/**"] }, { root: "/work" });
    expect(policy.allows("a", "write")).toBe(true);
    expect(policy.notes).toEqual([
      'policy.allowedPaths: "/tmp/**" lies outside the workspace and matches nothing in it.',
    ]);
  });

  it("is read-only when it says so", () => {
    const policy = definePolicy({ readonly: true });
    expect(policy.readOnly).toBe(true);
    expect(allowedActions("a", policy)).toEqual(READING);
  });

  it("has a limit for files", () => {
    expect(definePolicy({ max_file_size: 5 }).maxFileBytes).toBe(5);
    expect(standard.maxFileBytes).toBe(10 * 1024 * 1024);
  });

  it("changes the default protection, except that of stet's own state", () => {
    const without = definePolicy({ protect: { remove: ["dotenv", "git"] } });
    expect(allowedActions(".env", without)).toEqual(ACTIONS);
    expect(allowedActions(".git/hooks/x", without)).toEqual(ACTIONS);
    expect(allowedActions(".npmrc", without)).toEqual([]);
    const more = definePolicy({ protect: { add: [{ name: "ci", paths: [".github/workflows/**"], deny: "changes" }] } });
    expect(allowedActions(".github/workflows/ci.yml", more)).toEqual(READING);
    expect(allowedActions(".env", more)).toEqual([]);
    const own = definePolicy({ protect: [{ name: "mine", paths: ["x/*"], except: ["x/ok"] }] });
    expect(allowedActions("x/a", own)).toEqual([]);
    expect(allowedActions("x/ok", own)).toEqual(ACTIONS);
    expect(allowedActions(".env", own)).toEqual(ACTIONS);
    const spared = definePolicy({ protect: [{ name: "mine", paths: ["**/*.key"], except: ["Test/**"] }] });
    expect(allowedActions("test/a/b.key", spared)).toEqual(ACTIONS);
    expect(allowedActions("b.key", spared)).toEqual([]);
    for (const policy of [without, more, own, spared, definePolicy({ protect: false })]) {
      expect(allowedActions(".stet/journal", policy)).toEqual([]);
      expect(allowedActions(".s\u200dTET. /x", policy)).toEqual([]);
    }
  });

  it("protects a state directory elsewhere in the workspace", () => {
    const policy = definePolicy({ protect: false }, { statePaths: ["var/[stet] (1)"] });
    expect(allowedActions("var/[stet] (1)/journal", policy)).toEqual([]);
    expect(allowedActions("VAR/[Stet] (1)", policy)).toEqual([]);
    expect(allowedActions("var/s", policy)).toEqual(ACTIONS);
  });

  it("cannot be changed afterwards", () => {
    const input = { deniedPaths: ["a"] };
    const policy = definePolicy(input);
    input.deniedPaths.length = 0;
    expect(policy.allows("a", "read")).toBe(false);
    expect(() => Object.assign(policy, { readOnly: true })).toThrow(TypeError);
    expect(() => (policy.allowedActions as Action[]).push("read")).toThrow(TypeError);
  });
});

describe("a rule for a name with brackets", () => {
  it.each([
    ["app/[...slug]/**", "app/[...slug]/page.tsx"],
    ["app/[...slug].ts", "app/[...slug].ts"],
    ["app/[id-slug]/**", "app/[id-slug]/page.tsx"],
    ["app/[id]/page.tsx", "app/[id]/page.tsx"],
    ["[!a]", "[!a]"],
  ])("%s also holds for the file of that very name", (glob, path) => {
    const { allows } = definePolicy({ deniedPaths: [glob] });
    expect(allows(path, "read")).toBe(false);
    expect(allows("app/other/page.tsx", "read")).toBe(true);
  });

  it("still holds for what the set means", () => {
    const { allows } = definePolicy({ deniedPaths: ["[a-c].txt", "[!x].md"] });
    expect(["a.txt", "c.txt", "d.txt", "y.md", "x.md"].map((path) => allows(path, "read"))).toEqual([
      false,
      false,
      true,
      false,
      true,
    ]);
  });
});
