import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as JSONSchema from "effect/JSONSchema"
import * as Layer from "effect/Layer"
import { apiRoot } from "../../../foundation/http/Contract.ts"
import { NotFound } from "../../../foundation/schema/DomainError.ts"
import { answer, byCreation, listPage } from "../../accounts/Handlers.ts"
import { catalogue, subscribable } from "../Catalogue.ts"
import { EventsApi } from "./Api.ts"
import type { EventTypeInfo } from "./PublishedEvent.ts"
import { PublishedRepo } from "./PublishedRepo.ts"

const subscribableNames: ReadonlyArray<string> = subscribable.map(({ type }) => type)

/** The catalogue as the API shows it; each schema stands on its own (JSON Schema, draft 7). */
const eventTypes: ReadonlyArray<EventTypeInfo> = catalogue.map(({ description, examplePayload, payload, type }) => ({
  name: type,
  description,
  subscribable: subscribableNames.includes(type),
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
}))

const missing = NotFound.of("event")

export const layer = HttpApiBuilder.group(apiRoot.add(EventsApi), "events", (handlers) =>
  Effect.map(PublishedRepo, (repo) =>
    handlers
      .handle("list", ({ urlParams: { cursor, limit, since, type, until } }) => {
        const times = [since, until].map((time) => (time === undefined ? "" : DateTime.formatIso(time)))
        return listPage(
          { cursor, limit, of: ["events", type ?? "", ...times] },
          (account, batch) => repo.list({ ...batch, account, since, type, until }),
          byCreation
        )
      })
      .handle("get", ({ path }) =>
        answer((account) => Effect.mapError(Effect.flatten(repo.find({ account, id: path.event_id })), () => missing))
      )
      .handle("types", () => answer(() => Effect.succeed(eventTypes)))
  )
).pipe(Layer.provide(PublishedRepo.Default))
