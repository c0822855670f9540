import * as JSONSchema from "effect/JSONSchema"
import { catalogue, subscribable } from "../Catalogue.ts"
import type { EventTypeInfo } from "./PublishedEvent.ts"

const names: ReadonlyArray<string> = subscribable.map(({ type }) => type)

/** The catalogue as the API shows it; each schema stands on its own (JSON Schema, draft 7). */
export const eventTypes: ReadonlyArray<EventTypeInfo> = catalogue.map(
  ({ description, examplePayload, payload, type }) => ({
    name: type,
    description,
    subscribable: names.includes(type),
    schema: {
      $schema: "http://json-schema.org/draft-07/schema#",
      ...JSONSchema.fromAST(payload.ast, {
        additionalPropertiesStrategy: "allow",
        definitionPath: "#/$defs/",
        definitions: {},
        topLevelReferenceStrategy: "skip"
      })
    },
    example: examplePayload
  })
)
