// The surface that suits a model, as data: one row for each family, with what it rests on.
import { surfaceNamed } from "../surfaces/index.ts";
import type { Surface } from "../surfaces/tool.ts";

/** Which surface a family of models is given. */
export interface SurfaceRule {
  /** Fits the id of the model, as its API has it. */
  readonly models: RegExp;
  /** A name that `surfaceNamed` takes. */
  readonly surface: string;
  /** What it rests on. */
  readonly why?: string;
  /** Where that is written. */
  readonly source?: string;
}

/** From the top down, the first that fits. Models that none fits get `compact`, which forgives the most. */
export const SURFACE_RULES: readonly SurfaceRule[] = [
  {
    // A size, as in GPT-13B or gpt-6.7b, is no version.
    models: /codex|gpt-?(?:[5-9]|[12]\d)(?!\d|(?:\.\d+)?[bm]\b)/i,
    surface: "workspace",
    why: "They know apply_patch, and write patches of many files at once.",
    source: "https://developers.openai.com/api/docs/guides/tools-apply-patch",
  },
  {
    models: /claude/i,
    surface: "tracked",
    why: "They know edits by exact text: their own text editor has no other, and Claude Code none either.",
    source: "https://platform.claude.com/docs/en/agents-and-tools/tool-use/text-editor-tool",
  },
  {
    models: /grok|glm/i,
    surface: "anchors",
    why: "In one comparison of edit formats, Grok succeeded far more often with lines named by hashes. GLM is taken to be alike, unmeasured.",
    source: "https://nirvaxstiel.github.io/Tachikoma-Proompt-Cookbooks/research/model-harness.html",
  },
  {
    models: /gemini|qwen|gpt-4|mini\b|nano\b|flash|small|\b\d{1,2}b\b/i,
    surface: "compact",
    why: "Of 60 tasks in three languages more came out right with replaced text than with hashes of lines.",
    source: "https://dev.to/nwyin/hashline-vs-replace-does-the-edit-format-matter-15n2",
  },
];

const OTHERWISE = "compact";

/**
 * A suggestion by the id of a model; `compact` where there is none. `rules` of your own come first:
 * `surfaceFor(id, [{ models: /mine/, surface: "anchors" }])`.
 */
export function surfaceFor(modelId: string | null | undefined, rules: readonly SurfaceRule[] = []): Surface {
  const id = typeof modelId === "string" ? modelId : "";
  const rule = [...rules, ...SURFACE_RULES].find(({ models }) => id.search(models) !== -1);
  return surfaceNamed(rule?.surface ?? OTHERWISE);
}
