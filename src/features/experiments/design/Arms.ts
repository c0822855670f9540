import * as Effect from "effect/Effect"
import * as Day from "../../../foundation/schema/Day.ts"
import * as Traced from "../../../foundation/schema/Traced.ts"
import { plural } from "../../../foundation/text/Words.ts"
import type { AccountId } from "../../accounts/Domain.ts"
import { PageTotals } from "../../rankings/totals/PageTotals.ts"
import type { ClickedPage } from "../../rankings/totals/PageTotalsRepo.ts"
import type { ExperimentId } from "../Domain.ts"
import { daysOf } from "./Calendar.ts"
import { type FrozenPages, inBothArms, type StoredDesign } from "./Design.ts"
import { DesignsRepo } from "./DesignsRepo.ts"
import { type Arm, pagesAnArm } from "./PageSet.ts"
import { invalid, tooFewPages } from "./Refusals.ts"

/** Pages with a click before the change that an arm needs. */
export const leastPages = 5

/** Whose arms are looked for, and in which data. */
interface Asked {
  readonly account: AccountId
  readonly id: ExperimentId
  readonly design: StoredDesign
  /** The site as its totals know it, and its newest final day. */
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
      if (pages.length === 0) return yield* invalid(`design.${name}.pages`, "has no page that exclude leaves in")
      const found = yield* totals.clicked(asked.site.number, { pages }, before(asked), { count: pages.length })
      const clicks = new Map(found.map((page) => [page.path, page.clicks]))
      return pages.map((path) => ({ clicks: clicks.get(path) ?? 0, path }))
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
          `fits no page that the site's totals have: compare it with the paths of by=page, as in /blog/*`
        )
      if (pages.length > pagesAnArm)
        return yield* invalid(path, `fits more than ${pagesAnArm} pages: narrow it, or name pages in exclude`)
      return pages
    })

    const ofArm = (asked: Asked, name: "control" | "treatment", { pages, pattern }: Arm) =>
      pattern === undefined ? ofList(asked, name, pages ?? []) : ofPattern(asked, name, pattern)

    /** The most clicked pages, less those that the change could reach, or that another experiment changes at the time. */
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
      return most.filter(({ path }) => !out.has(path))
    })

    const enough = (
      name: string,
      pages: ReadonlyArray<ClickedPage>,
      { first, last }: { first: number; last: number }
    ) => {
      const clicked = pages.filter(({ clicks }) => clicks >= 1)
      if (clicked.length >= leastPages) return Effect.void
      const idle = pages.find(({ clicks }) => clicks < 1)
      const such = idle === undefined ? "" : `, and ${idle.path} is not one of them`
      return tooFewPages(
        `Of ${plural(pages.length, "page")} in ${name}, ${clicked.length} had a click from ${Day.format(first)} to ${Day.format(Math.max(first, last))}${such}; ${leastPages} are needed: choose more pages or pages with clicks, or a longer pre_days, or import the missing days`
      )
    }

    /** The pages of both arms: each in one arm, and enough with clicks. */
    const resolve = Traced.fn("Arms.resolve")(function* (asked: Asked) {
      const { control, treatment } = asked.design
      const assign = "is missing: name pages or a pattern, or let the service deal pages to both arms by assign"
      if (treatment === undefined) return yield* invalid("design.treatment", assign)
      if (control === undefined)
        return yield* invalid("design.control", `${assign}; "auto" takes the other pages of the site`)
      const treated = yield* ofArm(asked, "treatment", treatment)
      const paths = treated.map(({ path }) => path)
      const changed = new Set(paths)
      const others = yield* control === "auto" ? automatic(asked, paths) : ofArm(asked, "control", control)
      const both = others.find(({ path }) => changed.has(path))
      if (both !== undefined) return yield* invalid("design.control", inBothArms(both.path).message)
      yield* enough("treatment", treated, before(asked))
      yield* enough("control", others, before(asked))
      return { control: others.map(({ path }) => path), treatment: paths } satisfies FrozenPages
    })

    /** Pages that may be assigned: those with a click before the change, at most as many as two arms take, the most clicked first. */
    const candidates = Traced.fn("Arms.candidates")(function* (asked: Asked, { pages, pattern }: Arm) {
      const excluded = new Set(asked.design.exclude ?? [])
      const of = pattern === undefined ? { pages: [...new Set(pages ?? [])] } : { pattern }
      const count = 2 * pagesAnArm + excluded.size
      const found = yield* totals.clicked(asked.site.number, of, before(asked), { count, least: 1 })
      const left = found.filter(({ path }) => !excluded.has(path)).slice(0, 2 * pagesAnArm)
      if (left.length >= 2 * leastPages) return left
      const { first, last } = before(asked)
      return yield* tooFewPages(
        `${plural(left.length, "page")} of those had a click from ${Day.format(first)} to ${Day.format(Math.max(first, last))}; ${2 * leastPages} are needed, ${leastPages} for each arm: choose more pages, or a longer pre_days, or import the missing days`
      )
    })

    return { candidates, resolve }
  })
}) {}
