import type * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { AccountId } from "../accounts/Domain.ts"
import { Events } from "../events/Events.ts"
import type { ProjectId } from "../projects/Domain.ts"
import type { State } from "./Domain.ts"
import { backlinkLost } from "./Events.ts"

/** A domain of high authority that no longer links to the site. */
interface Loss {
  readonly domain: string
  readonly authority: { readonly scale: string; readonly source: string; readonly value: number } | null
  readonly isHigh: boolean
  readonly lastSeenAt: string
  readonly missingSince: string
  readonly links: ReadonlyArray<{
    readonly source_url: string
    readonly state: State
    readonly confirmed_at: DateTime.Utc
  }>
}

const utc = Schema.decodeSync(Schema.DateTimeUtc)

/**
 * Authority from 0 to 100. Places of a web graph convert logarithmically: the first is 100, the millionth 60, the lower limit of high authority on both
 * scales.
 */
export const score = ({ scale, value }: { readonly scale: string; readonly value: number }): number =>
  scale === "0-100" ? value : Math.max(0, Math.round((100 - (40 * Math.log10(Math.max(1, value))) / 6) * 10) / 10)

/** Publishes `backlink.lost` for each lost domain of high authority, in the transaction of the loss; returns their names. */
export const publishLosses = Effect.fnUntraced(function* (
  account: AccountId,
  project: ProjectId,
  losses: ReadonlyArray<Loss>
) {
  const events = yield* Events
  yield* events.publishAll(
    account,
    backlinkLost,
    losses.flatMap(({ authority, domain, isHigh, lastSeenAt, links, missingSince }) =>
      authority === null || !isHigh
        ? []
        : [
            {
              data: {
                project_id: project,
                domain,
                authority: score(authority),
                authority_source: authority.source,
                last_seen_at: utc(lastSeenAt),
                missing_since: utc(missingSince),
                links
              },
              occurrence: `${project}/${domain}/${lastSeenAt}`
            }
          ]
    )
  )
})
