import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { apiError } from "../../../foundation/http/ApiError.ts"
import * as Day from "../../../foundation/schema/Day.ts"
import { NotFound } from "../../../foundation/schema/DomainError.ts"
import { type Steps, unhurried } from "../../../foundation/schema/Steps.ts"
import * as Timestamp from "../../../foundation/schema/Timestamp.ts"
import * as Traced from "../../../foundation/schema/Traced.ts"
import type { AccountId } from "../../accounts/Domain.ts"
import { finalFrom, today } from "../../rankings/FinalDays.ts"
import type { ExperimentId } from "../Domain.ts"
import { type DesignFault, evaluating, powering, previewing, withWarnings } from "../statistics/design/Design.ts"
import { Arms, leastPages } from "./Arms.ts"
import { daysOf, isRandomised } from "./Calendar.ts"
import { DataWarnings } from "./DataWarnings.ts"
import { DesignSites } from "./DesignSites.ts"
import { DesignsRepo } from "./DesignsRepo.ts"
import { type Data, Panels } from "./Panels.ts"
import { evaluated, noDesign, notRunning, refusal } from "./Refusals.ts"

const notOver = (last: Day.DayNumber, about: string) => {
  const available_at = Timestamp.format(finalFrom(last))
  const message = `${about} ends on ${Day.format(last)}, and its numbers are final at ${available_at}: ask again then`
  return apiError<"not_over">("not_over", message, { available_at })
}

const judged = <A>(work: Steps<Either.Either<A, DesignFault>>) =>
  Effect.flatMap(unhurried(work), Either.match({ onLeft: (fault) => refusal(fault), onRight: Effect.succeed }))

/** What the windows of an evaluation held, in all pages of each arm: stored beside the verdict. */
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

/** What the stored totals say of a designed experiment. */
export class Verdicts extends Effect.Service<Verdicts>()("experiments/design/Verdicts", {
  dependencies: [Arms.Default, DataWarnings.Default, DesignSites.Default, DesignsRepo.Default, Panels.Default],
  effect: Effect.gen(function* () {
    const arms = yield* Arms
    const panels = yield* Panels
    const repo = yield* DesignsRepo
    const sites = yield* DesignSites
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

    /** The verdict on a running experiment whose days are over, and what it rests on. */
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

    /** A look at a running experiment: the whole weeks so far, corrected for as many looks as it has planned weeks. */
    const preview = Traced.fn("Verdicts.preview")(function* (account: AccountId, id: ExperimentId) {
      const experiment = yield* running(account, id)
      const { change, design, pages } = experiment
      if (DateTime.lessThan(yield* DateTime.now, finalFrom(change + 6)))
        return yield* notOver(change + 6, "The first whole week with the change")
      const { project, site } = yield* sites.of(account, design)
      const data = yield* panels.read({ ...experiment, site })
      const weeks = Math.max(1, Math.floor((site.newest + 1 - change) / 7))
      const analysis = yield* judged(previewing(data.panel, data.design, weeks, leastPages))
      const more = yield* warnings.of(project, pages, design, data.days, analysis.windows)
      return withWarnings(analysis, more)
    })

    /** The effects that the design can show, by its past: as if the change came on the day after the newest final one. */
    const power = Traced.fn("Verdicts.power")(function* (account: AccountId, id: ExperimentId) {
      const { assignment, design, pages } = yield* designed(account, id)
      const { site } = yield* sites.of(account, design)
      const change = site.newest + 1
      const frozen = pages ?? (yield* arms.resolve({ account, change, design, id, site }))
      const planned = design.change_date === undefined ? yield* today : Day.of(design.change_date)
      const assigned = isRandomised(assignment, planned)
      const { design: asked, panel } = yield* panels.read({ assigned, change, design, pages: frozen, site })
      return yield* judged(powering(panel, asked, leastPages))
    })

    return { evaluate, power, preview }
  })
}) {}
