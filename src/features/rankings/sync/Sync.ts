import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import type { LeaseLost } from "../../../foundation/database/Lease.ts"
import * as Day from "../../../foundation/schema/Day.ts"
import { Refused } from "../../../foundation/schema/DomainError.ts"
import * as Traced from "../../../foundation/schema/Traced.ts"
import { Cipher } from "../../../foundation/secrets/Cipher.ts"
import type { ProjectId } from "../../projects/Domain.ts"
import { newestFinalDay } from "../FinalDays.ts"
import type { Generation } from "../generation/Generations.ts"
import { DaysRepo, type MissingDay } from "../import/DaysRepo.ts"
import { Imports } from "../import/Imports.ts"
import type { Batch } from "../RawRow.ts"
import { SitesRepo } from "../SitesRepo.ts"
import { AccessTokens } from "../searchconsole/AccessTokens.ts"
import * as Credentials from "../searchconsole/Credentials.ts"
import { type Grouping, isCutOff, SearchAnalytics } from "../searchconsole/SearchAnalytics.ts"
import { SourcesRepo } from "./SourcesRepo.ts"

/** What the cipher knows stored credentials by. */
export const purpose = "Search Console credentials of project"

/** What a synchronisation brought. */
interface Synced {
  readonly days: number
  readonly rows: number
  readonly changed: number
  readonly first_day: string | null
  readonly last_day: string | null
  /** Days whose queries by country and device the API cut off at its limit of rows. */
  readonly partial_days: ReadonlyArray<string>
  readonly renewed: Generation | null
}

/** Reports progress before the first day and after each: days done, days in all. It may find that the work is another's now, which ends it. */
type Watch = (done: number, all: number) => Effect.Effect<void, LeaseLost>

/** Synchronises sites with the Search Console API. */
export class Sync extends Effect.Service<Sync>()("rankings/sync/Sync", {
  dependencies: [DaysRepo.Default, Imports.Default, SitesRepo.Default, SourcesRepo.Default],
  effect: Effect.gen(function* () {
    const analytics = yield* SearchAnalytics
    const cipher = yield* Cipher
    const imports = yield* Imports
    const known = yield* DaysRepo
    const sites = yield* SitesRepo
    const sources = yield* SourcesRepo
    const tokens = yield* AccessTokens

    const refused = (message: string) => () => new Refused({ message })

    const tokensOf = Effect.fnUntraced(function* (site: ProjectId, json: Redacted.Redacted) {
      const credentials = Credentials.parse(Redacted.value(json))
      return Either.isRight(credentials)
        ? yield* tokens.source(credentials.right)
        : yield* new Refused({ message: `The credentials of project ${site} are ${credentials.left}` })
    })

    const missingDays = (site: ProjectId, days: number) =>
      Effect.flatMap(newestFinalDay, (last) => {
        const first = Day.format(Day.of(last) - days + 1)
        return known.missing({ first, last, site })
      })

    /**
     * Fetches the final days that have not been fetched yet, oldest first, at all levels, and renews the rankings once, at the end. Each day is an
     * import of its own: what was fetched before a failure stays.
     */
    const run = Traced.fn("Sync.run")(function* (id: ProjectId, days: number, watch: Watch) {
      const site = yield* Effect.flatten(sites.find({ site: id })).pipe(
        Effect.mapError(refused(`There is no project ${id}`))
      )
      const source = yield* Effect.flatten(sources.find({ site: id })).pipe(
        Effect.mapError(refused(`Project ${id} is not connected to Search Console: use rankings connect`))
      )
      const access = yield* Effect.flatMap(cipher.open(purpose, id, source.credentials), (json) => tokensOf(id, json))
      const missing = yield* missingDays(id, days)
      yield* watch(0, missing.length)

      /** Fetched before the transaction begins: nothing waits for Google with the site's lock in its hands. */
      const fetchDay = Effect.fnUntraced(function* ({ day, levels }: MissingDay) {
        const fetch = (grouping: Grouping) =>
          Stream.runCollect(
            analytics.day({ day, grouping, host: site.host, property: source.property, tokens: access })
          )
        const whole = yield* Effect.forEach(levels, fetch)
        const cutOff = levels.filter((_, index) => isCutOff(whole[index] ?? []))
        const segments = levels.includes("queries") ? yield* fetch("segments") : Chunk.empty<Batch>()
        const isPartial = isCutOff(segments)
        const imported = yield* imports.run(
          {
            renews: false,
            site,
            source: "sync",
            synced: { cutOff, day, levels, segments: isPartial ? "partial" : "complete" }
          },
          Stream.fromIterable(Chunk.appendAll(Chunk.flatten(Chunk.fromIterable(whole)), segments))
        )
        return { ...imported, partial: isPartial ? [day] : [] }
      })

      const fetched = Effect.forEach(missing, (day, index) =>
        Effect.zipLeft(fetchDay(day), watch(index + 1, missing.length))
      )
      const all = yield* fetched.pipe(Effect.tapError(() => imports.renew(site)))
      const renewed = yield* imports.renew(site)
      return {
        changed: all.reduce((sum, { changed }) => sum + changed, 0),
        days: missing.length,
        first_day: missing.at(0)?.day ?? null,
        last_day: missing.at(-1)?.day ?? null,
        partial_days: all.flatMap(({ partial }) => partial),
        renewed,
        rows: all.reduce((sum, { rows }) => sum + rows, 0)
      } satisfies Synced
    })

    return { run }
  })
}) {}
