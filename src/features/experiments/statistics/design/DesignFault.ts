import * as Day from "../../../../foundation/schema/Day.ts"
import { plural } from "../../../../foundation/text/Words.ts"
import type { Empty } from "./Jackknife.ts"
import type { Design, Metric, Panel } from "./Panel.ts"
import { neededDays } from "./Placebo.ts"
import type { Window } from "./Window.ts"

type Arm = Empty["arm"]

/** Why a design cannot be judged with the data that are there; `message` says so, and what to do. */
export type DesignFault = { readonly message: string } & (
  | { readonly code: "missing_data"; readonly window: "pre" | "post"; readonly present: number; readonly days: number }
  /** `page` holds everything that its arm has, and is null where the arm has nothing at all. */
  | { readonly code: "not_assessable"; readonly arm: Arm; readonly page: string | null }
  | { readonly code: "too_few_pages"; readonly arm: Arm; readonly pages: number }
  /** The days of history before the change that are needed, and those that there are. */
  | { readonly code: "history_too_short"; readonly needed_days: number; readonly days: number }
)

export const missingData = (window: "pre" | "post", { present }: Window, design: Design): DesignFault => {
  const [found, days] = window === "pre" ? [present[0], design.pre_days] : [present[1], design.post_days]
  const when = window === "pre" ? "before" : "after"
  return {
    code: "missing_data",
    window,
    present: found,
    days,
    message: `Page totals of ${found} of the ${days} days ${when} the change are imported, and three quarters are needed: import the missing days`
  }
}

/** The arm with fewer pages that had clicks than are needed, if there is one. */
export const fewClicked = (clicked: Readonly<Record<Arm, number>>, least: number): DesignFault | undefined => {
  const arm = clicked.treatment < least ? "treatment" : "control"
  const pages = clicked[arm]
  if (pages >= least) return undefined
  return {
    code: "too_few_pages",
    arm,
    pages,
    message: `The ${arm} arm has ${plural(pages, "page")} with a click before the change, and ${least} are needed: choose more pages, or pages with more clicks`
  }
}

export const emptyArm = ({ arm, row }: Empty, panel: Panel, design: Design, metric: Metric): DesignFault => {
  const page = row === undefined ? null : (panel.pages[[...design.treatment, ...design.control][row] ?? -1] ?? null)
  const counts = metric === "ctr" ? "clicks or impressions" : "clicks"
  return {
    code: "not_assessable",
    arm,
    page,
    message:
      page === null
        ? `The ${arm} arm has no ${counts} in one of the two windows, so there is no change to speak of: choose pages with more clicks, or longer windows`
        : `Without ${page} the ${arm} arm has no ${counts} in one of the two windows, so the verdict would be on that page alone: choose more pages with clicks, or longer windows`
  }
}

export const shortHistory = (panel: Panel, design: Design): DesignFault => {
  const days = panel.change - panel.firstDay
  const needed = neededDays(design)
  return {
    code: "history_too_short",
    needed_days: needed,
    days,
    message: `Chosen pages are judged by the same comparison at earlier dates, which needs ${needed} days of page totals before the change (${days} are there${days < needed ? "" : ", with gaps or without clicks"}): import older days from ${Day.format(panel.change - needed)} on, choose shorter windows, or let the service assign the pages of the next experiment`
  }
}
