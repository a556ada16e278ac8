// Tests by chance take the same chances each time, so that a run says something about the change; STET_HEAVY takes new ones.
import fc from "fast-check";

if (!process.env.STET_HEAVY) fc.configureGlobal({ seed: 20_261_116 });
