import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Query from "../../../foundation/database/Query.ts"
import { OwnedId } from "../../accounts/Owned.ts"
import { EventBody } from "../../events/EventBody.ts"
import { EventId } from "../../events/EventId.ts"
import { EventType } from "../Catalogue.ts"
import { DeliveryId, WebhookId } from "../Domain.ts"

/** Writes test deliveries. */
export class TestsRepo extends Effect.Service<TestsRepo>()("webhooks/deliveries/TestsRepo", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    /** Puts a delivery to one subscription into its queue. Its event is a test's: neither lists of events nor feeds have it, and no other subscription receives it. */
    const insert = Query.one({
      Request: Schema.Struct({
        body: EventBody,
        createdAt: Schema.DateTimeUtc,
        event: EventId,
        type: EventType,
        webhook: OwnedId(WebhookId)
      }),
      Result: Schema.Struct({ id: DeliveryId }),
      execute: ({ body, createdAt, event, type, webhook }) => sql`
        WITH event AS (
          INSERT INTO events (id, account_id, type, body, is_test, created_at)
          SELECT ${event}, account_id, ${type}, ${body}, true, ${createdAt}::timestamptz FROM webhooks WHERE id = ${webhook}
          RETURNING id, type, created_at
        )
        INSERT INTO webhook_queue (webhook_id, event_id, event_type, created_at)
        SELECT ${webhook}, id, type, created_at FROM event RETURNING id`
    })

    return { insert }
  })
}) {}
