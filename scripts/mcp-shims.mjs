// Stands in for `@modelcontextprotocol/server/_shims` in the bundled program: no validator of JSON Schema is made at every start.
export { default as process } from "node:process";

export class DefaultJsonSchemaValidator {
  getValidator() {
    throw new Error("The program validates input with zod; it has no validator of JSON Schema.");
  }
}
