import * as SqlClient from "@effect/sql/SqlClient"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Query from "../../../foundation/database/Query.ts"
import { apiError } from "../../../foundation/http/ApiError.ts"
import * as Day from "../../../foundation/schema/Day.ts"
import { Conflict, Invalid } from "../../../foundation/schema/DomainError.ts"
import * as Traced from "../../../foundation/schema/Traced.ts"
import { plural } from "../../../foundation/text/Words.ts"
import { AccountId } from "../../accounts/Domain.ts"
import { ProjectId } from "../../projects/Domain.ts"
import { Projects } from "../../projects/Projects.ts"
import { dayAt } from "../../rankings/Site.ts"
import { type ClickedPage, PageTotals } from "../../rankings/totals/PageTotals.ts"
import { ExperimentId, ExperimentStatus } from "../Domain.ts"
import { experimentColumns as columns, Row } from "../ExperimentsRepo.ts"
import type { DesignFault } from "../statistics/design/Design.ts"
import { type Arm, Assignment, FrozenPages, inBothArms, pagesAnArm, StoredDesign } from "./Design.ts"

/** The lengths of a design's windows, in days. */
type Lengths = Pick<StoredDesign, "post_days" | "pre_days" | "settle_days">

/** The first and last day of a design: from the first day of the baseline to the last day of the measurement. */
export const daysOf = (change: Day.DayNumber, { post_days, pre_days, settle_days }: Lengths) => ({
  first: change - pre_days,
  last: change + settle_days + post_days - 1
})

/** A database timestamp as a moment. */
const momentOf = (text: string): DateTime.Utc => Option.getOrThrow(Option.map(DateTime.make(text), DateTime.toUtc))

/**
 * Whether the service assigned the pages before the change took effect. The day of the change counts too: its numbers are known three days later at the
 * earliest.
 */
export const isRandomised = (assignment: Assignment | null, change: Day.DayNumber): boolean =>
  assignment !== null && dayAt(momentOf(assignment.assigned_at)) <= change

const OfAccount = { account: AccountId, id: ExperimentId }

/** An experiment's design, with its stored texts: a write compares them to detect changes in between. */
export const DesignRow = Schema.Struct({
  id: ExperimentId,
  status: ExperimentStatus,
  domain: Schema.String,
  design: Schema.NullOr(StoredDesign),
  assignment: Schema.NullOr(Assignment),
  pages: Schema.NullOr(FrozenPages),
  design_text: Schema.NullOr(Schema.String),
  assignment_text: Schema.NullOr(Schema.String)
})
export type DesignRow = typeof DesignRow.Type

/** The stored texts that a write expects. */
const Before = { assignment_text: Schema.NullOr(Schema.String), design_text: Schema.NullOr(Schema.String) }

const Json = Schema.parseJson(StoredDesign)

/** The designs of experiments. One of several concurrent writes finds the expected texts; the others return no row. */
export class DesignsRepo extends Effect.Service<DesignsRepo>()("experiments/design/DesignsRepo", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const of = sql.literal(columns)

    const find = Query.first({
      Request: Schema.Struct(OfAccount),
      Result: DesignRow,
      execute: ({ account, id }) => sql`
        SELECT e.id, e.status, g.domain, e.design, e.assignment, e.pages, e.design::text AS design_text, e.assignment::text AS assignment_text
        FROM experiments e JOIN growth_projects g ON g.id = e.project_id WHERE e.id = ${id} AND e.account_id = ${account}`
    })

    /** Whether an experiment has a design; no row when it is not the account's. */
    const isDesigned = Query.first({
      Request: Schema.Struct(OfAccount),
      Result: Schema.Struct({ designed: Schema.Boolean }),
      execute: ({ account, id }) =>
        sql`SELECT design IS NOT NULL AS designed FROM experiments WHERE id = ${id} AND account_id = ${account}`
    })

    const unchanged = ({ assignment_text, design_text }: Schema.Struct.Encoded<typeof Before>) => sql`
      status = 'draft' AND design::text IS NOT DISTINCT FROM ${design_text}::text
        AND assignment::text IS NOT DISTINCT FROM ${assignment_text}::text`

    /** Replaces or removes a draft's design. An assignment stays only if `keeps` is set. */
    const write = Query.first({
      Request: Schema.Struct({ ...OfAccount, ...Before, design: Schema.NullOr(Json), keeps: Schema.Boolean }),
      Result: Row,
      execute: ({ account, design, id, keeps, ...before }) => sql`
        UPDATE experiments SET design = ${design}::json, assignment = ${keeps ? sql`assignment` : sql`NULL`}
        WHERE id = ${id} AND account_id = ${account} AND ${unchanged(before)} RETURNING ${of}`
    })

    /** Gives a draft the randomly assigned arms. */
    const assign = Query.first({
      Request: Schema.Struct({ ...OfAccount, ...Before, design: Json, draws: Schema.Int, seed: Schema.String }),
      Result: Row,
      execute: ({ account, design, draws, id, seed, ...before }) => sql`
        UPDATE experiments SET design = ${design}::json,
          assignment = json_build_object('seed', ${seed}::text, 'draws', ${draws}::integer, 'assigned_at', iso(clock_timestamp()))
        WHERE id = ${id} AND account_id = ${account} AND ${unchanged(before)} RETURNING ${of}`
    })

    /** Starts a draft with the pages of its arms. */
    const freeze = Query.first({
      Request: Schema.Struct({
        ...OfAccount,
        ...Before,
        design: Json,
        pages: Schema.parseJson(FrozenPages),
        warnings: Schema.parseJson(Schema.Array(Schema.String))
      }),
      Result: Row,
      execute: ({ account, design, id, pages, warnings, ...before }) => sql`
        UPDATE experiments SET status = 'running', started_at = clock_timestamp(), design = ${design}::json, pages = ${pages}::json,
          warnings = ${warnings}::json
        WHERE id = ${id} AND account_id = ${account} AND ${unchanged(before)} RETURNING ${of}`
    })

    /** Test pages of other started experiments of the site with overlapping days, from baseline to measurement. */
    const treatedElsewhere = Query.all({
      Request: Schema.Struct({ ...OfAccount, first: Schema.String, last: Schema.String, site: ProjectId }),
      Result: Schema.Struct({ path: Schema.String }),
      execute: ({ account, first, id, last, site }) => sql`
        SELECT json_array_elements_text(pages -> 'treatment') AS path FROM experiments
        WHERE site_id = ${site} AND account_id = ${account} AND id <> ${id} AND status <> 'draft'
          AND (design ->> 'change_date')::date - (design ->> 'pre_days')::integer <= ${last}::date
          AND (design ->> 'change_date')::date + (design ->> 'settle_days')::integer + (design ->> 'post_days')::integer > ${first}::date`
    })

    return { assign, find, freeze, isDesigned, treatedElsewhere, write }
  })
}) {}

/** Rejects a field of a design, with a message that names the field for readers of the terminal too. */
export const invalid = (path: string, message: string) =>
  new Invalid({ details: [{ message, path }], message: `${path} ${message}` })

/** The error for a design without enough data for a result. */
export const refusal = (fault: DesignFault) =>
  apiError<DesignFault["code"]>(
    fault.code,
    fault.message,
    fault.code === "history_too_short" ? { needed_days: fault.needed_days } : {}
  )

/** The import has no page total of a final day. */
const noTotals = apiError<"missing_data">(
  "missing_data",
  "The site has no page data. Query rows do not add up to page totals: import a table by date and page, import a bulk export, or connect Search Console"
)

export const tooFewPages = (message: string) => apiError<"too_few_pages">("too_few_pages", message)

export const noDesign = new Conflict({
  message: "The experiment has no design. Add one with PATCH while it is a draft, or evaluate it with counts"
})

export const started = new Conflict({ message: "The experiment has already been started" })

export const notRunning = new Conflict({ message: "The experiment is not running. Start it first" })

export const evaluated = new Conflict({ message: "The experiment has already been evaluated" })

/** Another request changed the draft between the read and the write. */
export const meanwhile = new Conflict({
  message: "Another request changed the experiment at the same time. Nothing was changed. Read it and try again"
})

/** Minimum pages of an arm with a click before the change. */
export const leastPages = 5

/** The pages of an arm with data, with their clicks, and the listed pages without any data. */
interface Found {
  readonly pages: ReadonlyArray<ClickedPage>
  readonly unknown: ReadonlyArray<string>
}

/** A request for the arms of a design. */
interface Asked {
  readonly account: AccountId
  readonly id: ExperimentId
  readonly design: StoredDesign
  /** The site's number in the totals, and its latest final day. */
  readonly site: { readonly number: number; readonly newest: Day.DayNumber }
  readonly change: Day.DayNumber
}

/** The pages of the arms of a design. */
export class Arms extends Effect.Service<Arms>()("experiments/design/Arms", {
  dependencies: [DesignsRepo.Default, PageTotals.Default],
  effect: Effect.gen(function* () {
    const repo = yield* DesignsRepo
    const totals = yield* PageTotals

    /** The final days before the change. */
    const before = ({ change, design, site }: Asked) => ({
      first: change - design.pre_days,
      last: Math.min(change - 1, site.newest)
    })

    const ofList = Effect.fnUntraced(function* (asked: Asked, name: string, listed: ReadonlyArray<string>) {
      const excluded = new Set(asked.design.exclude ?? [])
      const pages = [...new Set(listed)].filter((path) => !excluded.has(path))
      if (pages.length === 0) return yield* invalid(`design.${name}.pages`, "has no pages left after exclude")
      const found = yield* totals.clicked(asked.site.number, { pages }, before(asked), { count: pages.length })
      const clicks = new Map(found.map((page) => [page.path, page.clicks]))
      const unknown = pages.filter((path) => !clicks.has(path))
      if (found.length === 0)
        return yield* tooFewPages(
          `None of the ${plural(pages.length, "page")} in ${name}, such as ${pages[0]}, has search data. Compare the paths with GET /api/v1/projects/{project_id}/performance?by=page, or import days with these pages`
        )
      const known = pages.flatMap((path) => {
        const count = clicks.get(path)
        return count === undefined ? [] : { clicks: count, path }
      })
      return { pages: known, unknown }
    })

    const ofPattern = Effect.fnUntraced(function* (asked: Asked, name: string, pattern: string) {
      const excluded = new Set(asked.design.exclude ?? [])
      const count = pagesAnArm + excluded.size + 1
      const found = yield* totals.clicked(asked.site.number, { pattern }, before(asked), { count })
      const pages = found.filter(({ path }) => !excluded.has(path))
      const path = `design.${name}.pattern`
      if (pages.length === 0)
        return yield* invalid(
          path,
          `matches no page with search data. Compare it with the paths of GET /api/v1/projects/{project_id}/performance?by=page; a pattern looks like /blog/*`
        )
      if (pages.length > pagesAnArm)
        return yield* invalid(path, `matches more than ${pagesAnArm} pages. Narrow it, or add pages to exclude`)
      return { pages, unknown: [] }
    })

    const ofArm = (asked: Asked, name: "control" | "treatment", { pages, pattern }: Arm) =>
      pattern === undefined ? ofList(asked, name, pages ?? []) : ofPattern(asked, name, pattern)

    /** The most clicked pages, except pages that the change may affect, or that another experiment changes at the time. */
    const automatic = Effect.fnUntraced(function* (asked: Asked, treated: ReadonlyArray<string>) {
      const { account, change, design, id, site } = asked
      const days = daysOf(change, design)
      const most = yield* totals.clicked(site.number, "all", before(asked), { count: pagesAnArm, least: 1 })
      const elsewhere = yield* repo.treatedElsewhere({
        account,
        first: Day.format(days.first),
        id,
        last: Day.format(days.last),
        site: design.site_id
      })
      const sharing = yield* totals.sharing(site.number, treated, before(asked))
      const out = new Set([...treated, ...(design.exclude ?? []), ...elsewhere.map(({ path }) => path), ...sharing])
      return { pages: most.filter(({ path }) => !out.has(path)), unknown: [] }
    })

    /** Why an arm has too few pages with clicks; empty when it has enough. */
    const fewness = (
      name: string,
      { pages, unknown }: Found,
      { first, last }: { first: number; last: number }
    ): ReadonlyArray<string> => {
      const clicked = pages.filter(({ clicks }) => clicks >= 1)
      if (clicked.length >= leastPages) return []
      const idle = unknown[0] ?? pages.find(({ clicks }) => clicks < 1)?.path
      const such = idle === undefined ? "" : `, and ${idle} is not one of them`
      return [
        `Of ${plural(pages.length + unknown.length, "page")} in ${name}, ${clicked.length} had a click from ${Day.format(first)} to ${Day.format(Math.max(first, last))}${such}; ${leastPages} are needed. Choose more pages, pages with more clicks or a longer pre_days, or import the missing days`
      ]
    }

    /** The pages of both arms, disjoint and without pages that never had data; and why they are too few, if they are. */
    const resolve = Traced.fn("Arms.resolve")(function* (asked: Asked) {
      const { control, treatment } = asked.design
      const assign = "is missing. Set pages or a pattern, or randomly assign pages"
      if (treatment === undefined) return yield* invalid("design.treatment", assign)
      if (control === undefined)
        return yield* invalid("design.control", `${assign}; "auto" uses the other pages of the site as control`)
      const treated = yield* ofArm(asked, "treatment", treatment)
      const paths = treated.pages.map(({ path }) => path)
      const changed = new Set(paths)
      const others = yield* control === "auto" ? automatic(asked, paths) : ofArm(asked, "control", control)
      const both = others.pages.find(({ path }) => changed.has(path))
      if (both !== undefined) return yield* invalid("design.control", inBothArms(both.path).message)
      const few = [...fewness("treatment", treated, before(asked)), ...fewness("control", others, before(asked))]
      const pages: FrozenPages = { control: others.pages.map(({ path }) => path), treatment: paths }
      return { few, pages, unknown: [...treated.unknown, ...others.unknown] }
    })

    /** The pages of both arms; fails when they are too few. */
    const enough = (asked: Asked) =>
      Effect.flatMap(resolve(asked), ({ few: [first], pages }) =>
        first === undefined ? Effect.succeed(pages) : tooFewPages(first)
      )

    /** Pages for assignment: with a click before the change, at most as many as fit two arms, most clicked first. */
    const candidates = Traced.fn("Arms.candidates")(function* (asked: Asked, { pages, pattern }: Arm) {
      const excluded = new Set(asked.design.exclude ?? [])
      const of = pattern === undefined ? { pages: [...new Set(pages ?? [])] } : { pattern }
      const count = 2 * pagesAnArm + excluded.size
      const found = yield* totals.clicked(asked.site.number, of, before(asked), { count, least: 1 })
      const left = found.filter(({ path }) => !excluded.has(path)).slice(0, 2 * pagesAnArm)
      if (left.length >= 2 * leastPages) return left
      const { first, last } = before(asked)
      return yield* tooFewPages(
        `${plural(left.length, "page")} of those had a click from ${Day.format(first)} to ${Day.format(Math.max(first, last))}; ${2 * leastPages} are needed, ${leastPages} each for test and control. Choose more pages or a longer pre_days, or import the missing days`
      )
    })

    return { candidates, enough, resolve }
  })
}) {}

/** The sites of designs, with the keys of their page totals. */
export class DesignSites extends Effect.Service<DesignSites>()("experiments/design/DesignSites", {
  dependencies: [PageTotals.Default, Projects.Default],
  effect: Effect.gen(function* () {
    const projects = yield* Projects
    const totals = yield* PageTotals

    /** The site of a design; fails without an imported page total of a final day. */
    const of = Effect.fnUntraced(function* (account: AccountId, { site_id }: StoredDesign) {
      const project = yield* projects.own(account, site_id)
      const known = yield* totals.known(project)
      return Option.isNone(known) ? yield* noTotals : { project, site: known.value }
    })

    return { of }
  })
}) {}
