import * as Schema from "effect/Schema"
import { Timestamp } from "../../../foundation/schema/Timestamp.ts"
import { ProjectId } from "../../projects/Domain.ts"

/** How a site is connected to Search Console, without its credentials. */
export const Connection = Schema.Struct({
  site_id: ProjectId,
  property: Schema.String,
  /** Null: it is not synchronised by itself. */
  every_hours: Schema.NullOr(Schema.Int),
  next_sync_at: Schema.NullOr(Timestamp),
  synced_at: Schema.NullOr(Timestamp),
  /** Why the newest synchronisation failed; null when it did not. */
  last_error: Schema.NullOr(Schema.String)
}).annotations({ identifier: "RankingSource" })
export type Connection = typeof Connection.Type
