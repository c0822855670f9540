import * as Schema from "effect/Schema"
import { AccountId } from "../../accounts/Domain.ts"
import { OwnedId } from "../../accounts/Owned.ts"
import { ProjectId } from "../../projects/Domain.ts"
import { RankingStatus } from "../Domain.ts"

/** Where a page starts, as the cursor has it: the snapshot, then impressions, clicks and key of the record before. */
export const Position = Schema.Tuple(
  Schema.NumberFromString,
  Schema.NumberFromString,
  Schema.NumberFromString,
  Schema.UUID
)
export type Position = typeof Position.Type

/** Filters beside the indexes: they are looked for along the list. */
export const Narrowed = Schema.Struct({
  brand: Schema.NullOr(Schema.Boolean),
  least: Schema.NullOr(Schema.Int),
  page: Schema.NullOr(Schema.String)
})

/** No such filter. */
export const everything: typeof Narrowed.Type = { brand: null, least: null, page: null }

/** A page of an account's rankings. */
export const PageRequest = Schema.Struct({
  narrowed: Narrowed,
  account: AccountId,
  site: Schema.NullOr(OwnedId(ProjectId)),
  status: Schema.NullOr(RankingStatus),
  after: Schema.NullOr(Schema.typeSchema(Position)),
  count: Schema.Int
})
export type PageRequest = typeof PageRequest.Type
