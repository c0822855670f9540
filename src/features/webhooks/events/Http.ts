import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as Effect from "effect/Effect"
import * as JSONSchema from "effect/JSONSchema"
import * as Layer from "effect/Layer"
import { apiRoot } from "../../../foundation/http/Contract.ts"
import { jsonResponse } from "../../../foundation/http/JsonResponse.ts"
import { NotFound } from "../../../foundation/schema/DomainError.ts"
import { answer, forCaller } from "../../accounts/Handlers.ts"
import { catalogue, subscribable } from "../Catalogue.ts"
import { EventsApi } from "./Api.ts"
import { Arrivals } from "./Arrivals.ts"
import { List } from "./List.ts"
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
  Effect.map(Effect.all([Arrivals, List, PublishedRepo]), ([{ awaited }, { list }, repo]) =>
    handlers
      .handle("list", ({ request, urlParams }) =>
        Effect.map(
          forCaller((account) =>
            awaited(request.headers.prefer)(account, list(account, urlParams), ({ data }) => data.length > 0)
          ),
          (body) => jsonResponse(body)
        )
      )
      .handle("get", ({ path }) =>
        answer((account) => Effect.mapError(Effect.flatten(repo.find({ account, id: path.event_id })), () => missing))
      )
      .handle("types", () => answer(() => Effect.succeed(eventTypes)))
  )
).pipe(Layer.provide([Arrivals.Default, List.Default, PublishedRepo.Default]))
