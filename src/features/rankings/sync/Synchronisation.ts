import * as Schema from "effect/Schema"
import { field } from "../../../foundation/schema/Field.ts"
import { Uuid } from "../../../foundation/schema/Scalars.ts"
import { Timestamp } from "../../../foundation/schema/Timestamp.ts"
import { ProjectId } from "../../projects/Domain.ts"

/** Default number of days that a synchronisation reaches back from the newest final one: four weeks. */
export const defaultDays = 28

export const SyncId = Uuid.pipe(Schema.brand("RankingSyncId"))
export type SyncId = typeof SyncId.Type

/** Why a synchronisation failed. The days that it had fetched stay. */
export const SyncError = Schema.Struct({
  code: Schema.Literal(
    "unauthorised",
    "forbidden",
    "quota",
    "unavailable",
    "refused",
    "failed",
    "worker_lost"
  ).annotations({
    description:
      "`unauthorised`: Google refuses the credentials; `forbidden`: they have no access to the property; `quota` and `unavailable` pass by themselves; `refused`: Google refuses the request; `failed`: a fault of the server; `worker_lost`: its worker died, ask again"
  }),
  message: Schema.String.annotations({ description: "What is wrong and what to do, for people" })
}).annotations({
  identifier: "RankingSyncError",
  description: "Why a synchronisation failed; the days that it had fetched stay"
})
export type SyncError = typeof SyncError.Type

/** A synchronisation of a site with Search Console, asked for or made by its schedule. */
export const Synchronisation = Schema.Struct({
  id: SyncId.annotations({ description: "UUID of the synchronisation" }),
  project_id: ProjectId.annotations({ description: "UUID of the project" }),
  status: Schema.Literal("queued", "running", "completed", "failed").annotations({
    description: "Where it stands; `completed` and `failed` are final"
  }),
  days_done: Schema.NonNegativeInt.annotations({ description: "Days that were fetched" }),
  days_total: Schema.NullOr(Schema.NonNegativeInt).annotations({
    description: "Days that it fetches, those that were fetched before left out; null until it runs"
  }),
  error: Schema.NullOr(SyncError).annotations({ description: "Why it failed; null unless the status is `failed`" }),
  created_at: field(Timestamp, "When it was asked for, or when its schedule began it"),
  finished_at: Schema.NullOr(Timestamp).annotations({ description: "When it ended; null before that" })
}).annotations({ identifier: "RankingSync", description: "A synchronisation of a project with Search Console" })
export type Synchronisation = typeof Synchronisation.Type
