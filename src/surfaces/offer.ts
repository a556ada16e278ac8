// Which tools a caller is offered: what the policy forbids is not there at all, and surfaces can be joined.
import { Refusal } from "../kernel/failure.ts";
import type { Policy } from "../kernel/policy.ts";
import type { AnyTool, Surface } from "./tool.ts";

export function offeredTools(
  surface: Surface,
  policy: Pick<Policy, "allowedActions" | "readOnly">,
): readonly AnyTool[] {
  return surface.tools.filter((tool) => {
    if (policy.readOnly && tool.effect !== "read") return false;
    return tool.actions.some((action) => policy.allowedActions === undefined || policy.allowedActions.includes(action));
  });
}

/** Several surfaces as one. The same tool may come twice; two different tools of one name may not. */
export function joinSurfaces(surfaces: readonly Surface[]): Surface {
  const [only] = surfaces;
  if (only !== undefined && surfaces.length === 1) return only;
  const owners = new Map<string, { readonly tool: AnyTool; readonly surface: Surface }>();
  for (const surface of surfaces) {
    for (const tool of surface.tools) {
      const other = owners.get(tool.name);
      if (other !== undefined && other.tool !== tool) {
        throw new Refusal(
          "invalid_input",
          `The surfaces ${other.surface.name} and ${surface.name} both have a tool named ${tool.name}, and they differ.`,
          {
            next: "Choose one of them.",
          },
        );
      }
      owners.set(tool.name, { tool, surface });
    }
  }
  const owner = (tool: AnyTool): Surface | undefined => owners.get(tool.name)?.surface;
  return {
    name: surfaces.map((surface) => surface.name).join(","),
    title: surfaces.map((surface) => surface.title).join(" and "),
    guidance: surfaces.map((surface) => surface.guidance).join("\n\n"),
    tools: [...owners.values()].map(({ tool }) => tool),
    failure: (failure, tool) => owner(tool)?.failure?.(failure, tool) ?? failure,
    refusalText: (failure, tool) => owner(tool)?.refusalText?.(failure, tool),
  };
}
