import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as Schema from "effect/Schema"
import { failure } from "../../../foundation/http/ApiError.ts"
import { about, described } from "../../../foundation/http/Contract.ts"
import { Page, PageParameters } from "../../../foundation/http/Pagination.ts"
import { Data, input } from "../../../foundation/http/RequestSchemas.ts"
import { Moment } from "../../../foundation/schema/Timestamp.ts"
import { WebhooksManage } from "../../accounts/Authorized.ts"
import { EventName } from "../Catalogue.ts"
import { OfEvent } from "../PathIds.ts"
import { EventTypeInfo, PublishedEvent } from "./PublishedEvent.ts"

const Filters = Schema.Struct({
  ...PageParameters,
  type: Schema.optionalWith(EventName, { exact: true }),
  since: Schema.optionalWith(Moment.annotations({ description: "Events of this time and later" }), { exact: true }),
  until: Schema.optionalWith(Moment.annotations({ description: "Events before this time" }), { exact: true })
})

const list = HttpApiEndpoint.get("list", "/events")
  .annotateContext(
    described(
      "List events",
      "The account's events that are still kept, the newest first (`created_at`, then `id`), whether a webhook received them or not."
    )
  )
  .setUrlParams(input(Filters))
  .addSuccess(Page(PublishedEvent))
  .addError(failure("validation_error", "invalid_cursor"))
  .middleware(WebhooksManage)

const get = HttpApiEndpoint.get("get", "/events/:event_id")
  .annotateContext(described("Read an event", "One event as its receivers get it."))
  .setPath(OfEvent)
  .addSuccess(Data(PublishedEvent))
  .addError(failure("not_found"))
  .middleware(WebhooksManage)

const types = HttpApiEndpoint.get("types", "/event-types")
  .annotateContext(
    described(
      "List types of events",
      "Every type that is ever delivered, with the JSON Schema of its body and an example."
    )
  )
  .addSuccess(Data(Schema.Array(EventTypeInfo)))
  .middleware(WebhooksManage)

/** The events of an account, and the catalogue of their types. */
export class EventsApi extends HttpApiGroup.make("events")
  .add(list)
  .add(get)
  .add(types)
  .annotateContext(about("The events of the account, and the catalogue of event types."))
  .prefix("/api/v1") {}
