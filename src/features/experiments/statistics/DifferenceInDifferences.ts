import * as Estimate from "./Estimate.ts"
import type { Cell } from "./Proportion.ts"

/** A value for each of the four cells of a two-arm, two-period experiment. */
export interface Cells<A> {
  readonly controlPre: A
  readonly controlPost: A
  readonly treatmentPre: A
  readonly treatmentPost: A
}

/** The estimates of the four cells by one way of estimating a proportion. */
export const estimateCells = (
  cells: Cells<Cell>,
  proportion: (cell: Cell) => Estimate.Estimate
): Cells<Estimate.Estimate> => ({
  controlPre: proportion(cells.controlPre),
  controlPost: proportion(cells.controlPost),
  treatmentPre: proportion(cells.treatmentPre),
  treatmentPost: proportion(cells.treatmentPost)
})

/** The treatment's change less the control's: (pT1 − pT0) − (pC1 − pC0). */
export const effect = (rates: Cells<Estimate.Estimate>): Estimate.Estimate =>
  Estimate.minus(
    Estimate.minus(rates.treatmentPost, rates.treatmentPre),
    Estimate.minus(rates.controlPost, rates.controlPre)
  )

/** The rate the treatment would have had, had it changed as the control did: pT0 + (pC1 − pC0). */
export const counterfactual = (rates: Cells<Estimate.Estimate>): Estimate.Estimate =>
  Estimate.plus(rates.treatmentPre, Estimate.minus(rates.controlPost, rates.controlPre))
