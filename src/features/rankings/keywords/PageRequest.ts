import * as Schema from "effect/Schema"
import { AccountId } from "../../accounts/Domain.ts"
import { OwnedId } from "../../accounts/Owned.ts"
import { ProjectId } from "../../projects/Domain.ts"
import { KeywordFilters } from "../Api.ts"

/** Where a page starts, as the cursor has it: the snapshot, then impressions, clicks and key of the record before. */
export const Position = Schema.Tuple(
  Schema.NumberFromString,
  Schema.NumberFromString,
  Schema.NumberFromString,
  Schema.UUID
)
export type Position = typeof Position.Type

/** A page of an account's rankings. The site is an owned one, and the query a folded text of its own. */
export const PageRequest = Schema.Struct({
  account: AccountId,
  site: Schema.NullOr(OwnedId(ProjectId)),
  filters: Schema.typeSchema(KeywordFilters.omit("query", "site_id")),
  after: Schema.NullOr(Schema.typeSchema(Position)),
  count: Schema.Int
})
export type PageRequest = typeof PageRequest.Type
