import * as Schema from "effect/Schema"
import { Uuid } from "../http/Wire.ts"
import { ProjectId } from "../projects/Domain.ts"
import { Text, Timestamp, WebAddress } from "../schema/Fields.ts"

export const InterventionId = Uuid.pipe(Schema.brand("InterventionId"))
export type InterventionId = typeof InterventionId.Type

/** An automated fix that went live. */
export const NewIntervention = Schema.Struct({
  project: ProjectId,
  url: WebAddress,
  connector: Text,
  summary: Text,
  deployedAt: Timestamp
})
export type NewIntervention = typeof NewIntervention.Type

/** The same as it is stored, with what became of it. */
export const Intervention = Schema.Struct({
  id: InterventionId,
  ...NewIntervention.fields,
  rolledBackAt: Schema.NullOr(Timestamp),
  reason: Schema.NullOr(Text)
})
export type Intervention = typeof Intervention.Type

/** An intervention that is taken back. */
export const Rollback = Schema.Struct({ id: InterventionId, rolledBackAt: Timestamp, reason: Schema.NullOr(Text) })
export type Rollback = typeof Rollback.Type
