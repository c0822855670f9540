import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Query from "../../../foundation/database/Query.ts"
import { Conflict, NotFound } from "../../../foundation/schema/DomainError.ts"
import * as Traced from "../../../foundation/schema/Traced.ts"
import type { AccountId } from "../../accounts/Domain.ts"
import type { ProjectId } from "../../projects/Domain.ts"
import { Projects } from "../../projects/Projects.ts"
import { bulkWork } from "../BulkWork.ts"
import { noneDropped } from "../RawRow.ts"
import { type Site, type SiteState, SitesRepo } from "../SitesRepo.ts"
import { ImportsRepo } from "./ImportsRepo.ts"
import { Renewal } from "./Renewal.ts"

/** Takes days out again, such as a stray one that the windows would otherwise end at. */
export class DropDay extends Effect.Service<DropDay>()("rankings/import/DropDay", {
  dependencies: [ImportsRepo.Default, Projects.Default, Renewal.Default, SitesRepo.Default],
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const imports = yield* ImportsRepo
    const projects = yield* Projects
    const renewal = yield* Renewal
    const sites = yield* SitesRepo

    const removed = (table: string, site: number, day: string) =>
      Query.affected(sql`DELETE FROM ${sql(table)} WHERE site = ${site} AND day = ${day}::date`)

    /** All that is known of a day goes, at every level; the rankings follow in the same transaction, behind the lock of the site's data. */
    const drop = <E>(site: Site, day: string, lock: Effect.Effect<SiteState, E>) =>
      Effect.gen(function* () {
        yield* bulkWork(sql)
        const before = yield* lock
        const queries = yield* removed("ranking_query_facts", before.number, day)
        const pages = yield* removed("ranking_page_facts", before.number, day)
        const totals = yield* removed("ranking_property_facts", before.number, day)
        const days = yield* removed("ranking_days", before.number, day)
        const rows = queries + pages + totals
        yield* imports.record({
          changed: rows,
          dropped: noneDropped,
          first_day: day,
          hash: null,
          last_day: day,
          rows: 0,
          site: site.id,
          source: "drop-day"
        })
        const renewed = yield* renewal.after(site, before, {
          changed: rows,
          isWhole: false,
          lastDay: days + rows === 0 ? undefined : day,
          renews: true
        })
        return { day, isKnown: days + rows > 0, rows, ...renewed }
      })

    /** Takes a day out, after the imports of the site that are under way. */
    const run = Traced.fn("DropDay.run")(function* (site: Site, day: string) {
      const { isKnown: _, ...dropped } = yield* Query.transaction(sql)(drop(site, day, sites.lock({ site: site.id })))
      yield* renewal.settle(dropped)
      return dropped
    })

    /** Takes a day out at once: fails when an import of the site is under way, and when the project has no data of the day. */
    const atOnce = Traced.fn("DropDay.atOnce")(function* (account: AccountId, id: ProjectId, day: string) {
      const { host, url } = yield* projects.get(account, id)
      const lock = Effect.mapError(
        Effect.flatten(sites.tryLock({ site: id })),
        () =>
          new Conflict({ message: "An import of the project is in progress: send the request again when it has ended" })
      )
      const dropped = yield* Effect.filterOrFail(
        drop({ account, host, id, url }, day, lock),
        ({ isKnown }) => isKnown,
        () => NotFound.of("day with data")
      ).pipe(Query.transaction(sql))
      yield* renewal.settle(dropped)
    })

    return { atOnce, run }
  })
}) {}
