// What tool lists and answers cost a model.
import { measureCost } from "../cost.mjs";
import { section } from "./section.mjs";

await section(measureCost);
