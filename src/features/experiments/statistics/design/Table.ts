import { each, type Steps } from "../../../../foundation/schema/Steps.ts"
import type { Design, Panel } from "./Panel.ts"

/** The pages of a design in rows, the treated first: weeks after one another, because windows are sums of neighbouring weeks of all pages, dozens of times. */
export interface Table extends Pick<Panel, "weeks" | "days" | "changeWeek" | "change" | "firstDay"> {
  readonly treated: number
  readonly size: number
  /** Clicks of row `r` in week `w` at `w · size + r`. */
  readonly clicks: Float64Array
  readonly impressions: Float64Array
}

/** Cost of a page in one week, in characters: about 10 ns. */
const worth = 0.2

export const tableOf = function* (panel: Panel, { control, treatment }: Design): Steps<Table> {
  const { change, changeWeek, days, firstDay, weeks } = panel
  const rows = Uint32Array.from([...treatment, ...control])
  const size = rows.length
  const clicks = new Float64Array(weeks * size)
  const impressions = new Float64Array(weeks * size)
  yield* each(rows.entries(), ([row, page]) => {
    for (let week = 0; week < weeks; week++) {
      clicks[week * size + row] = panel.clicks[page * weeks + week] ?? 0
      impressions[week * size + row] = panel.impressions[page * weeks + week] ?? 0
    }
    return worth * weeks
  })
  return { change, changeWeek, days, firstDay, weeks, treated: treatment.length, size, clicks, impressions }
}

/** A number of a column; the index is one of the column's. */
export const at = (column: Float64Array | Uint8Array, index: number): number => column[index] ?? 0
