// The default protection: what no agent may read, and what no agent may change because some program would run it.

const READING = ["read", "list", "search"] as const;
export const CHANGING = ["create", "write", "edit", "delete", "move", "restore", "undo", "purge"] as const;
export const ACTIONS = [...READING, ...CHANGING] as const;
/** What may be done to a file, as rules and the journal name it. */
export type Action = (typeof ACTIONS)[number];

const CHANGES: ReadonlySet<string> = new Set(CHANGING);

export function isChange(action: string): action is (typeof CHANGING)[number] {
  return CHANGES.has(action);
}

/** Denies the paths that match, and everything below them. `except` spares a path, not what lies below it. */
export interface Rule {
  readonly name: string;
  readonly paths: readonly string[];
  readonly except?: readonly string[];
  /** "changes": reading, listing and searching are allowed. */
  readonly deny: "all" | "changes";
  readonly reason: string;
}

/** Not up to the owner: with its journal and its kept versions in an agent's hands stet promises nothing. */
export const STATE: Rule = {
  name: "stet",
  paths: ["**/.stet"],
  deny: "all",
  reason: "stet keeps its own files there",
};

/** Not up to the owner either: the configuration says what agents may do, and may name tokens. */
export const CONFIG: Rule = {
  name: "stet-config",
  paths: ["**/stet.config.json"],
  deny: "all",
  reason: "it says what agents may do here",
};

export const PROTECTED: readonly Rule[] = [
  {
    name: "git",
    paths: ["**/.git", "**/.gitmodules", "**/.gitconfig", "**/.config/git"],
    deny: "changes",
    reason: "git runs the hooks, filters and commands that are named there",
  },
  {
    name: "git-credentials",
    paths: [
      "**/.git/{config,config.worktree,credentials}",
      "**/.git/modules/**/config",
      "**/.git/worktrees/*/config.worktree",
      "**/.git-credentials",
      "**/.config/git/credentials",
    ],
    deny: "all",
    reason: "it may hold passwords or tokens of git remotes",
  },
  {
    name: "version-control",
    paths: ["**/{.hg,.hgrc,.svn,.jj}"],
    deny: "changes",
    reason: "Mercurial, Subversion and Jujutsu run the hooks and tools that are named there",
  },
  {
    name: "dotenv",
    paths: ["**/.env*"],
    except: ["**/.env.{example,sample,template}", "**/.env.*.{example,sample,template}"],
    deny: "all",
    reason: "environment files hold secrets",
  },
  {
    name: "keys",
    paths: [
      "**/*.{pem,key,crt,p12,pfx,p8,jks,keystore,ppk,kdbx}",
      "**/{id_rsa,id_dsa,id_ecdsa,id_ed25519}*",
      "**/.ssh",
      "**/.gnupg",
    ],
    deny: "all",
    reason: "it may be a private key or a certificate",
  },
  {
    name: "credentials",
    paths: [
      "**/secrets",
      "**/{.npmrc,.netrc,_netrc,.pypirc,.pgpass,.my.cnf,.htpasswd,.dockercfg,.vault-token,.terraformrc,.s3cfg,.boto}",
      "**/.yarnrc*",
      "**/{.aws,.azure}",
      "**/.config/{gcloud,gh}",
      "**/.docker/config.json",
      "**/.kube/config",
      "**/{.cargo,.gem}/credentials*",
      "**/.m2/settings*.xml",
      "**/.terraform.d/credentials.tfrc.json",
    ],
    deny: "all",
    reason: "it may hold passwords or tokens",
  },
  {
    name: "editors",
    paths: [
      "**/.vscode/{tasks,launch,settings,mcp}.json",
      "**/*.code-workspace",
      "**/{.idea,.run,.vs,.fleet,.zed}",
      "**/{.vimrc,.exrc,.nvimrc,.nvim.lua,.lvimrc,.dir-locals.el,.gdbinit,.lldbinit}",
    ],
    deny: "changes",
    reason: "editors and debuggers run commands that are named there",
  },
  {
    name: "agents",
    paths: [
      "**/{.mcp.json,.claude.json,.aider.conf.yml,opencode.json,opencode.jsonc}",
      "**/{crush,.crush}.json",
      "**/.roomodes",
      "**/.claude/settings*.json",
      "**/.claude/{hooks,commands,agents,skills,plugins}",
      "**/.cursor/*.json",
      "**/.cursor/hooks",
      "**/{.codex,.gemini,.windsurf,.kiro,.roo,.continue,.amazonq,.opencode,.copilot}",
      "**/{.kilocode,.qwen,.trae,.amp,.crush}",
    ],
    deny: "changes",
    reason: "agents take their permissions, hooks and servers from there",
  },
  {
    name: "hooks",
    paths: [
      "**/{.husky,.githooks}",
      "**/{.pre-commit-config.yaml,.pre-commit-config.yml,.overcommit.yml}",
      "**/{lefthook,.lefthook,lefthook-local}.{yml,yaml,toml,json}",
    ],
    deny: "changes",
    reason: "git runs these at the next commit",
  },
  {
    name: "environments",
    paths: [
      "**/{.devcontainer,.devcontainer.json}",
      "**/{mise,.mise}*.toml",
      "**/.mise",
      "**/.config/mise",
      "**/.yarn/{plugins,releases}",
      "**/.pnpmfile.*",
    ],
    deny: "changes",
    reason: "it runs when a container, a shell or a package manager starts",
  },
  {
    name: "shells",
    paths: [
      "**/{.bashrc,.bash_profile,.bash_login,.bash_logout,.bash_aliases,.profile,.inputrc}",
      "**/{.zshrc,.zshenv,.zprofile,.zlogin,.zlogout,.kshrc,.cshrc,.tcshrc}",
      "**/.config/{fish,autostart,systemd}",
      "**/{.ripgreprc,.curlrc,.wgetrc}",
      "**/Library/LaunchAgents",
    ],
    deny: "changes",
    reason: "a shell or a login runs it",
  },
];
