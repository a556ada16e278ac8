// A policy of approval that `@openai/agents` knows to need no look at the input: it knows that only of those that it made
// itself. With any other it asks a person about calls whose arguments are no object, instead of answering them.
import { copyOf } from "./loaded-copy.ts";
import type { OpenaiTool } from "./openai-forms.ts";

type Policy = OpenaiTool["needsApproval"];

/** `asks`: whether all calls of the tool are asked about, or none. The SDK is looked for when a run begins. */
export function settled(plain: OpenaiTool, asks: boolean | undefined): OpenaiTool {
  if (asks === undefined) return plain;
  let policy: Policy | undefined;
  return {
    ...plain,
    get needsApproval() {
      return policy ?? plain.needsApproval;
    },
    async isEnabled() {
      policy ??= await policyOfSdk(asks);
      return true;
    },
  };
}

async function policyOfSdk(needsApproval: boolean): Promise<Policy | undefined> {
  const sdk = await copyOf("@openai/agents", () => import("@openai/agents"));
  const parameters = { type: "object" as const, properties: {}, required: [], additionalProperties: false as const };
  const made = sdk?.tool({ name: "any", description: "", parameters, needsApproval, execute: () => "" });
  return made?.needsApproval as Policy | undefined;
}
