import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Query from "../../../foundation/database/Query.ts"
import * as Traced from "../../../foundation/schema/Traced.ts"
import { bulkWork } from "../BulkWork.ts"
import { noneDropped } from "../RawRow.ts"
import { type Site, SitesRepo } from "../SitesRepo.ts"
import { ImportsRepo } from "./ImportsRepo.ts"
import { Renewal } from "./Renewal.ts"

/** Takes days out again, such as a stray one that the windows would otherwise end at. */
export class DropDay extends Effect.Service<DropDay>()("rankings/import/DropDay", {
  dependencies: [ImportsRepo.Default, Renewal.Default, SitesRepo.Default],
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const imports = yield* ImportsRepo
    const renewal = yield* Renewal
    const sites = yield* SitesRepo

    const removed = (table: string, site: number, day: string) =>
      Query.affected(sql`DELETE FROM ${sql(table)} WHERE site = ${site} AND day = ${day}::date`)

    /** All that is known of a day goes, at every level; the rankings follow in the same transaction. */
    const run = Traced.fn("DropDay.run")(function* (site: Site, day: string) {
      const dropped = yield* Effect.gen(function* () {
        yield* bulkWork(sql)
        const before = yield* sites.lock({ site: site.id })
        const queries = yield* removed("ranking_query_facts", before.number, day)
        const pages = yield* removed("ranking_page_facts", before.number, day)
        const totals = yield* removed("ranking_property_facts", before.number, day)
        yield* removed("ranking_days", before.number, day)
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
          lastQueryDay: queries === 0 ? undefined : day,
          renews: true
        })
        return { day, rows, ...renewed }
      }).pipe(Query.transaction(sql))
      yield* renewal.settle(dropped)
      return dropped
    })

    return { run }
  })
}) {}
