// The workspaces served at the moment. They stay as they are unless the client names the roots: then calls wait for them.
import { Refusal } from "../../core/failure.ts";
import { defect, type Log } from "../calls/defects.ts";
import { type Described, describeTools } from "../calls/described.ts";
import type { NamedWorkspace, ServeOptions } from "./named.ts";

export interface Offering {
  /** Always as it is now. */
  readonly options: ServeOptions;
  readonly described: Described;
  /** Settles when it is known what is served; undefined when it is. */
  readonly coming: Promise<void> | undefined;
  /** From then on these are served; a Refusal in their place says why nothing is. Never fails itself. */
  serve(next: Promise<readonly NamedWorkspace[]>): Promise<void>;
}

export function createOffering(given: ServeOptions, log: Log): Offering {
  let { served, nothing } = given;
  let described: Described | undefined;
  let coming: Promise<void> | undefined;
  const options: ServeOptions = {
    ...given,
    get served() {
      return served;
    },
    get nothing() {
      return nothing;
    },
  };
  const take = async (before: Promise<void> | undefined, next: Promise<readonly NamedWorkspace[]>): Promise<void> => {
    // The last one counts.
    await before;
    const outcome = await next.catch((error: unknown) => (error instanceof Refusal ? error : failed(error, log)));
    nothing = outcome instanceof Refusal ? outcome : undefined;
    served = (outcome instanceof Refusal ? [] : outcome) as unknown as ServeOptions["served"];
    described = undefined;
  };
  return {
    options,
    get described() {
      described ??= describeTools(options);
      return described;
    },
    get coming() {
      return coming;
    },
    serve(next) {
      const mine = take(coming, next).finally(() => {
        if (coming === mine) coming = undefined;
      });
      coming = mine;
      return mine;
    },
  };
}

function failed(error: unknown, log: Log): Refusal {
  return new Refusal("unknown", defect("opening the workspaces", error, log).message);
}
