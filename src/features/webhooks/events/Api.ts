import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as Schema from "effect/Schema"
import { about, described } from "../../../foundation/http/Contract.ts"
import { list, read } from "../../../foundation/http/Endpoints.ts"
import { PageParameters } from "../../../foundation/http/Pagination.ts"
import { Data, input } from "../../../foundation/http/RequestSchemas.ts"
import { Moment } from "../../../foundation/schema/Timestamp.ts"
import { WebhooksManage } from "../../accounts/Authorized.ts"
import { EventName } from "../Catalogue.ts"
import { OfEvent } from "../Domain.ts"
import { EventTypeInfo, PublishedEvent } from "./PublishedEvent.ts"

const Filters = Schema.Struct({
  ...PageParameters,
  type: Schema.optionalWith(EventName, { exact: true }).annotations({ description: "Only events of this type" }),
  since: Schema.optionalWith(Moment.annotations({ description: "Events of this time and later" }), { exact: true }),
  until: Schema.optionalWith(Moment.annotations({ description: "Events before this time" }), { exact: true })
})

/** The events of an account, and the catalogue of their types. */
export class EventsApi extends HttpApiGroup.make("events")
  .annotateContext(about("The events of the account, and the catalogue of event types."))
  .add(
    list("list", "/events", {
      summary: "List events",
      description:
        "The account's events that are still kept, the newest first (`created_at`, then `id`), whether a webhook received them or not.",
      of: PublishedEvent,
      scope: WebhooksManage
    }).setUrlParams(input(Filters))
  )
  .add(
    read("get", "/events/:event_id", {
      summary: "Read an event",
      description: "One event as its receivers get it.",
      ids: OfEvent,
      of: PublishedEvent,
      scope: WebhooksManage
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
      .middleware(WebhooksManage)
  )
  .prefix("/api/v1") {}
