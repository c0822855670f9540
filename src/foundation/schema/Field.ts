import * as Schema from "effect/Schema"

/** A field with its meaning. A named schema keeps its name: the text stands beside the reference to it, not in it. */
export const field = <S extends Schema.Schema.All>(schema: S, description: string) =>
  Schema.propertySignature(schema).annotations({ description })
