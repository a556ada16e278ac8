// Seed 002, sentence by sentence, and the tests that show what it asks for.
import { READING_AND_WRITING } from "./002-coverage-1.ts";
import { EDITING_AND_SEARCHING } from "./002-coverage-2.ts";
import { holdSeed } from "./coverage.ts";

holdSeed("002", [...READING_AND_WRITING, ...EDITING_AND_SEARCHING]);
