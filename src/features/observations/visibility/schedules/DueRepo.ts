import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as LeaseQueue from "../../../../foundation/database/LeaseQueue.ts"
import { AccountId } from "../../../accounts/Domain.ts"
import { ProjectId } from "../../../projects/Domain.ts"
import { dueSchedules } from "../../../projects/schedules/DueTable.ts"
import { Engine } from "../Domain.ts"
import { ScheduleId } from "./Schedule.ts"

/** A due schedule under lease. */
const Claim = Schema.Struct({
  ...LeaseQueue.Held(ScheduleId).fields,
  account: AccountId,
  engines: Schema.Array(Engine),
  project: ProjectId,
  repeats: Schema.Int
})
export type Claim = typeof Claim.Type

/** The schedules of AI visibility as a queue. */
export class DueRepo extends Effect.Service<DueRepo>()("visibility/schedules/DueRepo", {
  effect: dueSchedules({ claim: Claim, name: "geo schedules", table: "geo_schedules", terms: "engines, repeats" })
}) {}
