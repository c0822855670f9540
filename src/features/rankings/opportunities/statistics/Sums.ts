/** Sums of a row over the current window: of a query on a page, or of a page. */
export interface Sums {
  readonly impressions: number
  readonly clicks: number
  /** The one-based top positions of all impressions, added up. */
  readonly top: number
}

/** The mean position of a row, weighted by impressions; 0 for a row without impressions. */
export const positionOf = ({ impressions, top }: Sums): number => (impressions === 0 ? 0 : top / impressions)

/** The bins of a curve: whole positions from 1 to this one. */
export const lastBin = 20

/** The bin of a position: the nearest whole one, a half upwards. */
export const binOf = (position: number): number => Math.floor(position + 0.5)

/** Sums of all rows of a cell whose position lies in one bin. */
export interface Bin extends Sums {
  /** The whole position, 1 to 20. */
  readonly position: number
  readonly rows: number
  /** The squares of the impressions of each row, added up. */
  readonly squares: number
}

/** A bin without one of its rows. */
export const without = (bin: Bin, row: Sums): Bin => ({
  position: bin.position,
  rows: bin.rows - 1,
  impressions: bin.impressions - row.impressions,
  clicks: bin.clicks - row.clicks,
  top: bin.top - row.top,
  squares: bin.squares - row.impressions ** 2
})
