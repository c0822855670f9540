import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { StatementLimit } from "../../../foundation/database/Connection.ts"
import * as Day from "../../../foundation/schema/Day.ts"
import { each, type Steps, unhurried } from "../../../foundation/schema/Steps.ts"
import * as Traced from "../../../foundation/schema/Traced.ts"
import type { Owned } from "../../accounts/Owned.ts"
import type { Project } from "../../projects/Domain.ts"
import { bulkWork, newestFinalDay, SitesRepo } from "../Site.ts"
import { type PagesOf, PageTotalsRepo, TotalsDay } from "./PageTotalsRepo.ts"

/** Days, both inclusive. */
interface Span {
  readonly first: Day.DayNumber
  readonly last: Day.DayNumber
}

/** Clicks and impressions of pages in weeks from a day on; a page that was not seen in a week has zeros there. */
interface WeeklyTotals {
  /** Of page `p` in week `w` at `p · weeks + w`. */
  readonly clicks: Float64Array
  readonly impressions: Float64Array
  /** The days with page totals, in their order. */
  readonly days: ReadonlyArray<TotalsDay>
}

const decodeDays = Schema.decodeSync(Schema.parseJson(Schema.Array(TotalsDay)))

/** Reads the numbers of one page, which stand one behind the other with spaces between them. */
const fill = (text: string, offset: number, { clicks, impressions }: WeeklyTotals) => {
  let [number, place, week, at] = [0, 0, 0, 0]
  for (let index = 0; index <= text.length; index++) {
    const unit = index === text.length ? 32 : text.charCodeAt(index)
    if (unit !== 32) {
      number = number * 10 + unit - 48
      continue
    }
    if (place === 0) week = number
    at = offset + week
    if (place === 1) clicks[at] = number
    if (place === 2) impressions[at] = number
    place = (place + 1) % 3
    number = 0
  }
  return text.length
}

function* totalsOf(
  rows: ReadonlyArray<{ readonly place: number; readonly text: string }>,
  pages: number,
  weeks: number
): Steps<WeeklyTotals> {
  const days = rows.find(({ place }) => place === 0)
  const totals = {
    clicks: new Float64Array(pages * weeks),
    days: decodeDays(days?.text ?? "[]"),
    impressions: new Float64Array(pages * weeks)
  }
  yield* each(rows, ({ place, text }) => (place === 0 ? 1 : fill(text, (place - 1) * weeks, totals)))
  return totals
}

/** Milliseconds that the weeks of a design may take the database: thousands of pages over years are more than the other reads of the API have. */
const longest = 60_000

const written = ({ first, last }: Span) => ({ first: Day.format(first), last: Day.format(last) })

/** The totals of a site's pages, on final days. */
export class PageTotals extends Effect.Service<PageTotals>()("rankings/totals/PageTotals", {
  dependencies: [PageTotalsRepo.Default, SitesRepo.Default],
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const repo = yield* PageTotalsRepo
    const sites = yield* SitesRepo

    /** What the totals of a project are read by; none where no page total of a final day was imported. `newest` is the newest final day with totals. */
    const known = Traced.fn("PageTotals.known")(function* (project: Owned<Project>) {
      const site = yield* sites.known(project)
      if (Option.isNone(site)) return Option.none()
      const { first, newest } = yield* repo.span({ last: yield* newestFinalDay, site: site.value.number })
      return Option.map(
        Option.all({ first: Option.fromNullable(first), newest: Option.fromNullable(newest) }),
        (span) => ({ first: Day.of(span.first), newest: Day.of(span.newest), number: site.value.number })
      )
    })

    const inBulk = <A, E, R>(work: Effect.Effect<A, E, R>) => repo.transaction(Effect.zipRight(bulkWork(sql), work))

    /** The weeks of pages from a day on; `last` ends the last of them or lies within it. */
    const weekly = Traced.fn("PageTotals.weekly")(function* (
      site: number,
      paths: ReadonlyArray<string>,
      weeks: number,
      span: Span
    ) {
      const rows = yield* inBulk(Effect.zipRight(repo.hashing, repo.weeks({ ...written(span), paths, site }))).pipe(
        Effect.provideService(StatementLimit, longest)
      )
      return yield* unhurried(totalsOf(rows, paths.length, weeks))
    })

    /** Pages with at least `least` clicks, the most clicked first. */
    const clicked = Traced.fn("PageTotals.clicked")(function* (
      site: number,
      of: PagesOf,
      span: Span,
      { count, least = 0 }: { readonly count: number; readonly least?: number }
    ) {
      return yield* inBulk(repo.clicked({ ...written(span), count, least, of, site }))
    })

    /** Pages that share a query with one of the paths. */
    const sharing = Traced.fn("PageTotals.sharing")(function* (site: number, paths: ReadonlyArray<string>, span: Span) {
      const rows = yield* inBulk(repo.sharing({ ...written(span), paths, site }))
      return rows.map(({ path }) => path)
    })

    return { clicked, known, sharing, weekly }
  })
}) {}
