import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Day from "../../../foundation/schema/Day.ts"
import { plural } from "../../../foundation/text/Words.ts"
import type { Owned } from "../../accounts/Owned.ts"
import type { Project } from "../../projects/Domain.ts"
import { finalFrom, lag } from "../../rankings/FinalDays.ts"
import type { TotalsDay } from "../../rankings/totals/PageTotalsRepo.ts"
import { ChangedPagesRepo } from "../../sitehealth/results/ChangedPagesRepo.ts"
import { type DesignedAnalysis, reportingFaults, type Warning } from "../statistics/design/Design.ts"
import type { FrozenPages, StoredDesign } from "./Design.ts"

/** Days or paths that a sentence names. */
const named = 5

const list = (items: ReadonlyArray<string>) =>
  items.length > named ? `${items.slice(0, named).join(", ")} and ${items.length - named} more` : items.join(", ")

const isWithin = (day: string, [from, to]: readonly [string, string]) => from <= day && day <= to

/** Warnings that follow from how the days of the windows were imported. */
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
      sentence: `${plural(early.length, "day")} (${list(early.map(({ day }) => day))}) were imported less than ${lag} days after they ended, when their numbers were not final: import them again.`
    })
  if (cut.length > 0)
    warnings.push({
      code: "row_limit",
      sentence: `On ${plural(cut.length, "day")} (${list(cut.map(({ day }) => day))}) Search Console's API returned its limit of 50,000 rows, so pages with few clicks may be missing: a bulk export has them all.`
    })
  if (sources.length > 1)
    warnings.push({
      code: "mixed_sources",
      sentence: `The days of the windows come from more than one format (${sources.join(", ")}), which may count differently: import all of them from one.`
    })
  return warnings
}

/** Warnings that only the stored data give. */
export class DataWarnings extends Effect.Service<DataWarnings>()("experiments/design/DataWarnings", {
  dependencies: [ChangedPagesRepo.Default],
  effect: Effect.gen(function* () {
    const changes = yield* ChangedPagesRepo

    /** Control pages that changed themselves, by the site health runs of the days that are compared. */
    const contamination = Effect.fnUntraced(function* (
      project: Owned<Project>,
      { control }: FrozenPages,
      { post, pre }: DesignedAnalysis["windows"]
    ) {
      const [from, to] = [Day.of(pre[0]) - lag, Day.of(post[1]) + 1 - lag]
      const found = yield* changes.changed({ from: finalFrom(from), paths: control, project, to: finalFrom(to) })
      const sentence = `${plural(found.length, "control page")} (${list(found.map(({ path }) => path))}) had another title, canonical or status in one site health run than in another, so the control arm changed too.`
      return found.length === 0 ? [] : [{ code: "contamination" as const, sentence }]
    })

    /** All of them, for an analysis over these windows. */
    const of = Effect.fnUntraced(function* (
      project: Owned<Project>,
      pages: FrozenPages,
      { metric }: StoredDesign,
      days: ReadonlyArray<TotalsDay>,
      windows: DesignedAnalysis["windows"]
    ) {
      return [
        ...importWarnings(days, windows),
        ...(yield* contamination(project, pages, windows)),
        ...reportingFaults(metric, windows)
      ]
    })

    return { of }
  })
}) {}
