// What a program knows of a refusal by its kind.
import { type ChangedBy, type Failure, type FailureKind, Refusal } from "stet";
import { expect, it } from "vitest";

/** The compiler is the test here, `@ts-expect-error` fails where nothing is wrong. */
function asTyped({ failure }: Refusal): ChangedBy | string | undefined {
  if (failure.kind === "stale_file") return failure.details?.changedBy;
  if (failure.kind === "not_found") return failure.details?.missing;
  // @ts-expect-error: a directory is named by a string
  new Refusal("not_found", "", { details: { missing: 1 } });
  const loose: Failure = failure;
  return loose.details?.missing === "dir" ? undefined : loose.message;
}

it("has details that the compiler knows by their name, and a program may add its own", () => {
  const missing = new Refusal("not_found", "No such thing.", { details: { missing: "dir", of: "a shop" } });
  expect(asTyped(missing)).toBe("dir");
  const kind: FailureKind = Math.random() < 2 ? "busy" : "timeout";
  expect(asTyped(new Refusal(kind, "Later.", { details: { missing: "dir" } }))).toBeUndefined();
  const caught: unknown = missing;
  expect(caught instanceof Refusal && caught.failure.details?.of).toBe("a shop");
  expect(String(missing)).toBe("Refusal: No such thing.");
});
