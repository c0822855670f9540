import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as Schema from "effect/Schema"
import { about, described } from "../../../foundation/http/Contract.ts"
import { list, read } from "../../../foundation/http/Endpoints.ts"
import { preferring } from "../../../foundation/http/Prefer.ts"
import { Data, input } from "../../../foundation/http/RequestSchemas.ts"
import { WebhooksRead } from "../../accounts/Authorized.ts"
import { OfEvent } from "../Domain.ts"
import { Filters, nextEvent } from "./Filters.ts"
import { EventTypeInfo, PublishedEvent } from "./PublishedEvent.ts"

/** The events of an account, and the catalogue of their types. */
export class EventsApi extends HttpApiGroup.make("events")
  .annotateContext(about("The events of the account, and the catalogue of event types."))
  .add(
    list("list", "/events", {
      summary: "List events",
      description:
        "The account's events that are still kept, whether a webhook received them or not: the newest first (`created_at`, then `id`), or with `order=asc` the oldest first. A reader who goes on `after` the last event it read passes by none, however late one commits; with `Prefer: wait` its request waits for the next.",
      of: PublishedEvent,
      scope: WebhooksRead
    })
      .setUrlParams(input(Filters))
      .annotateContext(preferring(nextEvent))
  )
  .add(
    read("get", "/events/:event_id", {
      summary: "Read an event",
      description: "One event as its receivers get it.",
      ids: OfEvent,
      of: PublishedEvent,
      scope: WebhooksRead
    })
  )
  .add(
    HttpApiEndpoint.get("types", "/event-types")
      .annotateContext(
        described(
          "List types of events",
          "Every type that is ever delivered, with the JSON Schema of its body and an example."
        )
      )
      .addSuccess(Data(Schema.Array(EventTypeInfo)))
      .middleware(WebhooksRead)
  )
  .prefix("/api/v1") {}
