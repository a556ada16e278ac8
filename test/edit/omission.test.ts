import { omissionPlaceholders } from "stet/edit";
import { describe, expect, it } from "vitest";

describe("omission placeholders", () => {
  it.each([
    "// ... existing code ...",
    "  # ... rest of the function unchanged",
    "/* ... */",
    "<!-- ... -->",
    "{/* ... existing items ... */}",
    "// rest of methods ...",
    "(rest of code ...)",
    "// rest of the code remains unchanged",
    "// unchanged code...",
    "-- ... keep the same ...",
    "... existing code ...",
    "// …",
    "# ... (rest unchanged)",
    "[... existing code ...]",
    "// ... other methods ...",
  ])("stands for left-out text: %s", (line) => {
    expect(omissionPlaceholders(`a();\n${line}\n`)).toEqual([{ line: 2, text: line.trim() }]);
  });

  it.each([
    "...rest",
    "  ...this.#props,",
    "...existing,",
    "return ...",
    "// existing code path handles nulls",
    "// Loading more...",
    "more...",
    "// keep in sync with the reader",
    "",
    "...".padEnd(300, "x"),
  ])("is text: %s", (line) => {
    expect(omissionPlaceholders(line)).toEqual([]);
  });

  it.each([
    "// same as before",
    "// existing code",
    "// unchanged",
    "// remaining code stays the same",
    "// omitted for brevity",
    "// Existing session found, resuming...",
    "# Remaining time is shown here...",
    "// ... keep going until the queue drains",
    "## Rest of the document",
    "# rest of the code",
  ])("may be a comment of its own: %s", (line) => {
    expect(omissionPlaceholders(line)).toEqual([]);
  });

  it("inside a line of code it is one, but stands for no lines", () => {
    const line = "run(/* ... existing code ... */);";
    expect(omissionPlaceholders(`a();\n${line}`)).toEqual([{ line: 2, text: line }]);
    expect(omissionPlaceholders("run(/* ... */);")).toEqual([]);
  });

  it("a bare ellipsis may be code", () => {
    expect(omissionPlaceholders("def f():\n    ...\n")).toEqual([]);
  });

  it("names the lines", () => {
    expect(omissionPlaceholders("a\r\n// ... existing code ...\r\nb")).toEqual([
      { line: 2, text: "// ... existing code ..." },
    ]);
  });
});
