// A refusal said again in other words is still the same refusal.
import { expect, it } from "vitest";
import { Refusal, reworded } from "../../src/core/failure.ts";

it("keeps all but the words that are given", () => {
  const first = new Refusal("io_error", "It broke.", {
    path: "a",
    details: { errno: "EIO" },
    recoverable: true,
    next: "x",
  });
  const second = reworded(first, { next: "Mend it." });
  expect(second.failure).toEqual({ ...first.failure, suggestedAction: "Mend it." });
  expect(second).toMatchObject({ message: "It broke. Mend it.", cause: first });
  expect(reworded(first, { message: "It is broken.", next: "Mend it." }).failure.message).toBe("It is broken.");
});
