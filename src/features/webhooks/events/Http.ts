import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { apiRoot } from "../../../foundation/http/Contract.ts"
import { NotFound } from "../../../foundation/schema/DomainError.ts"
import { answer, byCreation, listPage } from "../../accounts/Handlers.ts"
import { EventsApi } from "./Api.ts"
import { eventTypes } from "./EventTypes.ts"
import { PublishedRepo } from "./PublishedRepo.ts"

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
