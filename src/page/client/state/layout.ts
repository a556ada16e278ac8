// One column or two.
import { computed } from "@preact/signals";
import type { Layout } from "../diff/parse.ts";
import { go, route } from "./route.ts";

export const layout = computed<Layout>(() => (route.value.layout === "split" ? "split" : "unified"));

export function toggleLayout(): void {
  go({ layout: layout.value === "split" ? undefined : "split" }, "replace");
}
