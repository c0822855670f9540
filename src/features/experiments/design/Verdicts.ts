import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { apiError } from "../../../foundation/http/ApiError.ts"
import * as Day from "../../../foundation/schema/Day.ts"
import { NotFound } from "../../../foundation/schema/DomainError.ts"
import { type Steps, unhurried } from "../../../foundation/schema/Steps.ts"
import * as Time from "../../../foundation/schema/Time.ts"
import * as Traced from "../../../foundation/schema/Traced.ts"
import { plural } from "../../../foundation/text/Words.ts"
import type { AccountId } from "../../accounts/Domain.ts"
import type { Batch } from "../../accounts/Handlers.ts"
import type { Owned } from "../../accounts/Owned.ts"
import type { Project } from "../../projects/Domain.ts"
import { identity } from "../../rankings/PageIdentity.ts"
import { finalFrom, lag, today } from "../../rankings/Site.ts"
import { PageTotals, type TotalsDay } from "../../rankings/totals/PageTotals.ts"
import { ChangedPagesRepo } from "../../sitehealth/results/Results.ts"
import type { ExperimentId } from "../Domain.ts"
import {
  type Design,
  type DesignedAnalysis,
  type DesignFault,
  evaluating,
  type Panel,
  powering,
  previewing,
  reportingFaults,
  type Warning,
  withWarnings
} from "../statistics/design/Design.ts"
import {
  Arms,
  DesignSites,
  DesignsRepo,
  daysOf,
  evaluated,
  isRandomised,
  leastPages,
  noDesign,
  notRunning,
  refusal
} from "./Arms.ts"
import type { FrozenPages, SeriesDay, StoredDesign } from "./Design.ts"

/** Maximum days or paths in a sentence. */
const named = 5

const list = (items: ReadonlyArray<string>) =>
  items.length > named ? `${items.slice(0, named).join(", ")} and ${items.length - named} more` : items.join(", ")

const isWithin = (day: string, [from, to]: readonly [string, string]) => from <= day && day <= to

/** Warnings about the import of the windows' days. */
export const importWarnings = (
  days: ReadonlyArray<TotalsDay>,
  { post, pre }: DesignedAnalysis["windows"]
): ReadonlyArray<Warning> => {
  const inWindows = days.filter(({ day }) => isWithin(day, pre) || isWithin(day, post))
  const early = inWindows.filter(({ day, imported_at }) => DateTime.lessThan(imported_at, finalFrom(Day.of(day))))
  const cut = inWindows.filter(({ cut_off }) => cut_off)
  const sources = [...new Set(inWindows.flatMap(({ sources }) => sources))].sort()
  const warnings: Array<Warning> = []
  if (early.length > 0)
    warnings.push({
      code: "imported_early",
      sentence: `${plural(early.length, "day")} (${list(early.map(({ day }) => day))}) were imported within ${lag} days, before their numbers were final. Import them again.`
    })
  if (cut.length > 0)
    warnings.push({
      code: "row_limit",
      sentence: `On ${plural(cut.length, "day")} (${list(cut.map(({ day }) => day))}) the Search Console API returned its limit of 50,000 rows, so pages with few clicks may be missing. Use a bulk export to get all pages.`
    })
  if (sources.length > 1)
    warnings.push({
      code: "mixed_sources",
      sentence: `The days come from more than one format (${sources.join(", ")}), which may count differently. Import all days from one format.`
    })
  return warnings
}

/** Pages in a design that its start left out, because they never had data. */
const leftOut = ({ control, exclude = [], treatment }: StoredDesign, pages: FrozenPages): ReadonlyArray<string> => {
  const known = new Set([...pages.control, ...pages.treatment, ...exclude])
  const named = [...(treatment?.pages ?? []), ...(control === "auto" ? [] : (control?.pages ?? []))]
  return [...new Set(named)].filter((path) => !known.has(path))
}

/** The sentence about pages without data. */
export const withoutData = (paths: ReadonlyArray<string>) =>
  `${plural(paths.length, "page")} (${list(paths)}) never had search data and ${paths.length === 1 ? "is" : "are"} left out. Compare ${paths.length === 1 ? "the path" : "the paths"} with GET /api/v1/projects/{project_id}/performance?by=page.`

/** Warnings from the stored data. */
export class DataWarnings extends Effect.Service<DataWarnings>()("experiments/design/DataWarnings", {
  dependencies: [ChangedPagesRepo.Default],
  effect: Effect.gen(function* () {
    const changes = yield* ChangedPagesRepo

    /** Control pages that changed too, by the crawls of the compared days. */
    const contamination = Effect.fnUntraced(function* (
      project: Owned<Project>,
      { control }: FrozenPages,
      { post, pre }: DesignedAnalysis["windows"]
    ) {
      const [from, to] = [Day.of(pre[0]) - lag, Day.of(post[1]) + 1 - lag]
      const changed = yield* changes.changed({ from: finalFrom(from), paths: control, project, to: finalFrom(to) })
      // Crawls keep URLs as they are; search data have normalized pages.
      const [known, paths] = [new Set(control), changed.map(({ path }) => identity(path))]
      const found = [...new Set(paths)].filter((path) => known.has(path))
      const sentence = `${plural(found.length, "control page")} (${list(found)}) changed title, canonical or status between crawls, so the control pages changed too.`
      return found.length === 0 ? [] : [{ code: "contamination" as const, sentence }]
    })

    /** All warnings for an analysis over these windows. */
    const of = Effect.fnUntraced(function* (
      project: Owned<Project>,
      pages: FrozenPages,
      design: StoredDesign,
      days: ReadonlyArray<TotalsDay>,
      windows: DesignedAnalysis["windows"]
    ) {
      const unknown = leftOut(design, pages)
      return [
        ...importWarnings(days, windows),
        ...(yield* contamination(project, pages, windows)),
        ...reportingFaults(design.metric, windows),
        ...(unknown.length === 0 ? [] : [{ code: "pages_without_data" as const, sentence: withoutData(unknown) }])
      ]
    })

    return { of }
  })
}) {}

/** Weeks of history beyond the design's own: 52 placebo windows count, and 52 more may be skipped for their gaps. */
const history = 104

/** The request for a panel. */
interface Asked {
  readonly site: { readonly number: number; readonly first: Day.DayNumber; readonly newest: Day.DayNumber }
  readonly design: StoredDesign
  readonly pages: FrozenPages
  /** The first day with the change, real or pretended. */
  readonly change: Day.DayNumber
  readonly assigned: boolean
}

/** A panel, the design with its arms as indices of the panel's pages, and the imported days. */
interface Data {
  readonly panel: Panel
  readonly design: Design
  readonly days: ReadonlyArray<TotalsDay>
}

/** Imported days of each week. */
const countedBy = (weeks: number, first: Day.DayNumber, days: ReadonlyArray<TotalsDay>) => {
  const counts = new Uint8Array(weeks)
  for (const { day } of days) {
    const week = Math.floor((Day.of(day) - first) / 7)
    counts[week] = (counts[week] ?? 0) + 1
  }
  return counts
}

/** The stored page totals of a design, for the statistics. */
export class Panels extends Effect.Service<Panels>()("experiments/design/Panels", {
  dependencies: [PageTotals.Default],
  effect: Effect.gen(function* () {
    const totals = yield* PageTotals

    /** Reads the weeks around a change, only final days, in one statement. */
    const read = Traced.fn("Panels.read")(function* ({ assigned, change, design, pages, site }: Asked) {
      const { metric, post_days, pre_days, settle_days } = design
      const whole = Math.floor((change - site.first) / 7)
      const before = Math.max(pre_days / 7, Math.min(whole, history + (pre_days + settle_days + post_days) / 7))
      const after = (settle_days + post_days) / 7
      const weeks = before + after
      const first = change - 7 * before
      const span = { first, last: Math.min(site.newest, change + 7 * after - 1) }
      const paths = [...pages.treatment, ...pages.control]
      const { clicks, days, impressions } = yield* totals.weekly(site.number, paths, weeks, span)
      const treated = pages.treatment.length
      return {
        days,
        design: {
          assigned,
          control: pages.control.map((_, index) => treated + index),
          metric,
          post_days,
          pre_days,
          settle_days,
          treatment: pages.treatment.map((_, index) => index)
        },
        panel: {
          change,
          changeWeek: before,
          clicks,
          days: countedBy(weeks, first, days),
          firstDay: site.first,
          impressions,
          pages: paths,
          weeks
        }
      } satisfies Data
    })

    return { read }
  })
}) {}

const notOver = (last: Day.DayNumber, about: string) => {
  const available_at = Time.format(finalFrom(last))
  const message = `${about} ends on ${Day.format(last)}, and its numbers are final on ${available_at.slice(0, 10)} at ${available_at.slice(11, 16)} UTC. Try again then`
  return apiError<"not_over">("not_over", message, { available_at })
}

const judged = <A>(work: Steps<Either.Either<A, DesignFault>>) =>
  Effect.flatMap(unhurried(work), Either.match({ onLeft: (fault) => refusal(fault), onRight: Effect.succeed }))

/** Sums of the windows of an evaluation, over all pages of each arm, stored beside the result. */
const metricsOf = ({ days, design, panel }: Data) => {
  const sums = (pages: ReadonlyArray<number>, column: Float64Array, from: number, to: number) => {
    let total = 0
    for (const page of pages) for (let week = from; week < to; week++) total += column[page * panel.weeks + week] ?? 0
    return total
  }
  const ofArm = (pages: ReadonlyArray<number>) => {
    const [pre, post] = [panel.changeWeek - design.pre_days / 7, panel.changeWeek + design.settle_days / 7]
    return {
      preClicks: sums(pages, panel.clicks, pre, panel.changeWeek),
      preImpressions: sums(pages, panel.impressions, pre, panel.changeWeek),
      postClicks: sums(pages, panel.clicks, post, post + design.post_days / 7),
      postImpressions: sums(pages, panel.impressions, post, post + design.post_days / 7)
    }
  }
  const totals = { control: ofArm(design.control), days: days.length, treatment: ofArm(design.treatment) }
  return new TextEncoder().encode(JSON.stringify(totals))
}

const shareOf = (clicks: number, impressions: number) => (impressions === 0 ? 0 : clicks / impressions)

/** Results and days of experiments with a design, from the stored totals. */
export class Verdicts extends Effect.Service<Verdicts>()("experiments/design/Verdicts", {
  dependencies: [
    Arms.Default,
    DataWarnings.Default,
    DesignSites.Default,
    DesignsRepo.Default,
    PageTotals.Default,
    Panels.Default
  ],
  effect: Effect.gen(function* () {
    const arms = yield* Arms
    const panels = yield* Panels
    const repo = yield* DesignsRepo
    const sites = yield* DesignSites
    const totals = yield* PageTotals
    const warnings = yield* DataWarnings

    const designed = Effect.fnUntraced(function* (account: AccountId, id: ExperimentId) {
      const row = yield* Effect.mapError(Effect.flatten(repo.find({ account, id })), () => NotFound.of("experiment"))
      return row.design === null ? yield* noDesign : { ...row, design: row.design }
    })

    /** A running experiment with its pages and its change. */
    const running = Effect.fnUntraced(function* (account: AccountId, id: ExperimentId) {
      const { assignment, design, pages, status } = yield* designed(account, id)
      if (status === "completed") return yield* evaluated
      if (status === "draft" || pages === null || design.change_date === undefined) return yield* notRunning
      const change = Day.of(design.change_date)
      return { assigned: isRandomised(assignment, change), change, design, pages }
    })

    /** The result of a running experiment after its last day, with its sums. */
    const evaluate = Traced.fn("Verdicts.evaluate")(function* (account: AccountId, id: ExperimentId) {
      const experiment = yield* running(account, id)
      const { change, design, pages } = experiment
      const { last } = daysOf(change, design)
      if (DateTime.lessThan(yield* DateTime.now, finalFrom(last))) return yield* notOver(last, "The experiment")
      const { project, site } = yield* sites.of(account, design)
      const data = yield* panels.read({ ...experiment, site })
      const analysis = yield* judged(evaluating(data.panel, data.design, leastPages))
      const more = yield* warnings.of(project, pages, design, data.days, analysis.windows)
      return { analysis: withWarnings(analysis, more), metrics: metricsOf(data) }
    })

    /** An interim result of a running experiment: the whole weeks so far, corrected for one preview per planned week. */
    const preview = Traced.fn("Verdicts.preview")(function* (account: AccountId, id: ExperimentId) {
      const experiment = yield* running(account, id)
      const { change, design, pages } = experiment
      if (DateTime.lessThan(yield* DateTime.now, finalFrom(change + 6)))
        return yield* notOver(change + 6, "The first whole week after the change")
      const { project, site } = yield* sites.of(account, design)
      const data = yield* panels.read({ ...experiment, site })
      const weeks = Math.max(1, Math.floor((site.newest + 1 - change) / 7))
      const analysis = yield* judged(previewing(data.panel, data.design, weeks, leastPages))
      const more = yield* warnings.of(project, pages, design, data.days, analysis.windows)
      return withWarnings(analysis, more)
    })

    /** The minimum detectable effects of a design, from its past: as if the change came on the day after the latest final day. */
    const power = Traced.fn("Verdicts.power")(function* (account: AccountId, id: ExperimentId) {
      const { assignment, design, pages } = yield* designed(account, id)
      const { site } = yield* sites.of(account, design)
      const change = site.newest + 1
      const frozen = pages ?? (yield* arms.enough({ account, change, design, id, site }))
      const planned = design.change_date === undefined ? yield* today : Day.of(design.change_date)
      const assigned = isRandomised(assignment, planned)
      const { design: asked, panel } = yield* panels.read({ assigned, change, design, pages: frozen, site })
      return yield* judged(powering(panel, asked, leastPages))
    })

    /** The days of a design after a position: its baseline, and the final days from its change on. */
    const series = Traced.fn("Verdicts.series")(function* (
      account: AccountId,
      id: ExperimentId,
      { after: [seen] = [], count }: Batch
    ) {
      const { design, pages } = yield* designed(account, id)
      const { site } = yield* sites.of(account, design)
      const change = design.change_date === undefined ? site.newest + 1 : Day.of(design.change_date)
      const groups = pages ?? (yield* arms.enough({ account, change, design, id, site }))
      const { first, last } = daysOf(change, design)
      const span = { first: seen === undefined ? first : Day.of(seen) + 1, last: Math.min(last, site.newest) }
      const days = yield* totals.daily(site.number, groups, span, count)
      return days.map((day): SeriesDay => {
        const since = Day.of(day.date) - change
        return {
          ...day,
          control_ctr: shareOf(day.control_clicks, day.control_impressions),
          period: since < 0 ? "pre" : since < design.settle_days ? "settle" : "post",
          treatment_ctr: shareOf(day.treatment_clicks, day.treatment_impressions)
        }
      })
    })

    return { evaluate, power, preview, series }
  })
}) {}
