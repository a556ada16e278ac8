// Reviewed marks, set and taken off.
import { Refusal } from "../../core/failure.ts";
import { markReviewed } from "../../kernel/history/marks.ts";
import { numbersIn } from "./request.ts";
import { sessionOf, type Visit } from "./visit.ts";

export async function review(visit: Visit): Promise<{ readonly entry: number }> {
  const session = await sessionOf(visit);
  if (session.workspace.policy.readOnly)
    throw new Refusal("permission_denied", "Nothing was marked: this workspace is read-only.", {
      next: "Mark it in a page that may change it.",
    });
  const reviewed = visit.fields.reviewed !== false;
  const { seq } = await markReviewed(session, numbersIn(visit.fields, "seqs") ?? [], { tool: "page", reviewed });
  return { entry: seq };
}
