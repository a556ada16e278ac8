// Which tools a caller is offered: what the policy forbids is not there at all, and surfaces can be joined.
import { Refusal } from "../core/failure.ts";
import type { Policy } from "../kernel/policy/policy.ts";
import type { AnyTool, Surface } from "./tool.ts";

/** A tool of several actions is there while one of them is allowed; the others are refused when they are asked for. */
export function offeredTools({ tools }: Pick<Surface, "tools">, policy: Pick<Policy, "permits">): readonly AnyTool[] {
  const known = OFFERED.get(policy)?.get(tools);
  if (known !== undefined) return known;
  const permitted = (tool: AnyTool): boolean => tool.actions.some((action) => policy.permits(action));
  const left = tools.filter(permitted).map((tool) => tool.offeredFor?.(policy) ?? tool);
  OFFERED.set(policy, (OFFERED.get(policy) ?? new WeakMap()).set(tools, left));
  return left;
}

/** Asked for at every call, and neither a policy nor a surface ever changes. */
const OFFERED = new WeakMap<Pick<Policy, "permits">, WeakMap<Surface["tools"], readonly AnyTool[]>>();

/** How to use the tools that are offered, with nothing of those that are not. */
export function guidanceOf(surface: Surface, offered: readonly AnyTool[]): string {
  return surface.guidanceFor?.(new Set(offered.map(({ name }) => name))) ?? surface.guidance;
}

/** Several surfaces as one. The same tool may come twice; two different tools of one name may not. */
export function joinSurfaces(surfaces: readonly Surface[]): Surface {
  const [only] = surfaces;
  if (only !== undefined && surfaces.length === 1) return only;
  const tools = new Map<string, AnyTool>();
  for (const [n, surface] of surfaces.entries()) {
    for (const before of surfaces.slice(0, n)) {
      const name = clashOf(before, surface);
      if (name !== undefined) throw clash(before, surface, name);
    }
    for (const tool of surface.tools) tools.set(tool.name, tool);
  }
  return {
    name: surfaces.map((surface) => surface.name).join(","),
    title: surfaces.map((surface) => surface.title).join(" and "),
    guidance: surfaces.map((surface) => surface.guidance).join("\n\n"),
    guidanceFor: (offered) =>
      surfaces
        .map((surface) => surface.guidanceFor?.(offered) ?? surface.guidance)
        .filter((words) => words !== "")
        .join("\n\n"),
    tools: [...tools.values()],
    storesElsewhere: surfaces.every((surface) => surface.storesElsewhere === true),
    parts: surfaces,
  };
}

/** The name that two surfaces give to different tools; undefined when they can be joined. */
export function clashOf(one: Surface, other: Surface): string | undefined {
  const clashing = other.tools.find((tool) => one.tools.some((each) => each.name === tool.name && each !== tool));
  return clashing?.name;
}

function clash(one: Surface, other: Surface, name: string): Refusal {
  const why = `The surfaces ${one.name} and ${other.name} both have a tool named ${name}, and they differ.`;
  return new Refusal("invalid_input", why, {
    next: "Choose one of them.",
    details: { surfaces: [one.name, other.name], tool: name },
  });
}
