// The order of test files: what takes longest first, so that no core waits for one file at the end; and what starts many
// processes before the heap of the worker has grown, since starting one copies the tables of all its memory.
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** By what they take where nothing is remembered of a run before; all others follow. */
const FIRST: readonly RegExp[] = [
  /\/scenarios\/stdio\.test/,
  /\/attacks\/fuzz\/fuzz\.test/,
  /\/bounded\/every-tool\.test/,
  /\/package\.test/,
  /\/crash\/crash\.test/,
  /\/faults\/(?:kill|commit-faults)\.test/,
  /\/attacks\/cloned\//,
  /\/seeds\/002-read-media\.test/,
  /\/examples\.test/,
  /\/search\//,
  /\/seeds\/.*(?:glob|search|grep)/,
  /\/cli\/(?:.*process|install|mcp)/,
  /\/serve\/stdio/,
  /\/races\//,
  /\/backends\/postgres/,
  /\/(?:state\/damaged|serve\/http-crowd|surfaces\/pages|bench\/trust)\.test/,
  /\/(?:properties\/edit-ladder|check\/hostile|edit\/ladder-figures)\.test/,
];

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const projects = [...new Set(sorted.map(({ project }) => project.name))];
    const place = ({ project, moduleId }: TestSpecification): number => {
      const at = FIRST.findIndex((pattern) => pattern.test(moduleId));
      return projects.indexOf(project.name) * (FIRST.length + 1) + (at === -1 ? FIRST.length : at);
    };
    return sorted.toSorted((a, b) => place(a) - place(b));
  }
}
