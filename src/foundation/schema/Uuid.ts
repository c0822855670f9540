import * as Schema from "effect/Schema"

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

export const isUuid = (text: string): boolean => uuid.test(text)

/** A UUID in a body or query: malformed ones are invalid input. */
export const Uuid = Schema.String.pipe(
  Schema.filter(isUuid, { message: () => "must be a UUID" }),
  Schema.annotations({ jsonSchema: { type: "string", format: "uuid" } })
)
