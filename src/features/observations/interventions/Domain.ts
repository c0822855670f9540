import * as Schema from "effect/Schema"
import { NonEmptyText, Uuid } from "../../../foundation/schema/Scalars.ts"
import { Moment } from "../../../foundation/schema/Timestamp.ts"
import { WebAddress } from "../../../foundation/schema/WebAddress.ts"
import { ProjectId } from "../../projects/Domain.ts"

export const InterventionId = Uuid.pipe(Schema.brand("InterventionId"))
export type InterventionId = typeof InterventionId.Type

/** An automated fix that went live. */
export const NewIntervention = Schema.Struct({
  project: ProjectId,
  url: WebAddress,
  connector: NonEmptyText,
  summary: NonEmptyText,
  deployedAt: Moment
})
export type NewIntervention = typeof NewIntervention.Type

/** A stored intervention, with its rollback if there was one. */
export const Intervention = Schema.Struct({
  id: InterventionId,
  ...NewIntervention.fields,
  rolledBackAt: Schema.NullOr(Moment),
  reason: Schema.NullOr(NonEmptyText)
})
export type Intervention = typeof Intervention.Type

/** The rollback of an intervention. */
export const Rollback = Schema.Struct({ id: InterventionId, rolledBackAt: Moment, reason: Schema.NullOr(NonEmptyText) })
export type Rollback = typeof Rollback.Type
