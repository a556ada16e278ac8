// Agent frameworks (`stet/adapters`): the common shape of a tool, and which surface suits a model. Each framework: `stet/adapters/NAME`.
export { SURFACE_RULES, type SurfaceRule, surfaceFor } from "./surface-for.ts";
export {
  type AdaptedTool,
  type Approve,
  type Effect,
  instructionsOf,
  type RunOptions,
  type ToolRun,
  type ToolsOptions,
  toolsOf,
} from "./tools.ts";
