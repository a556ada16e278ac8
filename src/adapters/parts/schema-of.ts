// A schema that frameworks take and that lets everything through: what is wrong with a call is said by the tool, in its words.
import type { JsonSchema } from "../../surfaces/schema.ts";

/** As the Standard Schema of https://standardschema.dev has it, with its JSON Schema. */
export interface OpenSchema {
  /** What a framework looks for. */
  readonly "~standard": {
    /** Of the standard. */
    readonly version: 1;
    /** Who made it. */
    readonly vendor: "stet";
    /** Takes anything: the tool looks at it when it is called. */
    readonly validate: (value: unknown) => { readonly value: unknown };
    /** What models see. */
    readonly jsonSchema: {
      /** What goes in. */
      readonly input: (options?: object) => Record<string, unknown>;
      /** What comes out of the validation: the same. */
      readonly output: (options?: object) => Record<string, unknown>;
    };
  };
}

export function openSchema(schema: JsonSchema): OpenSchema {
  const shown = (): Record<string, unknown> => ({ ...schema });
  return {
    "~standard": {
      version: 1,
      vendor: "stet",
      validate: (value) => ({ value }),
      jsonSchema: { input: shown, output: shown },
    },
  };
}
