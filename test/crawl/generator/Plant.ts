import type { Builder } from "./Builder.ts"
import type { Random } from "./Random.ts"

/** A defect (or a decoy that looks like one) that can be planted in any site. */
export interface Plant {
  readonly name: string
  /** Maximum number of URLs it adds. */
  readonly cost: number
  /** It changes the whole site or takes much time, so it is planted only in turn and never by lot. */
  readonly rare?: true
  /** Needs https URLs, or a second origin. */
  readonly secure?: true
  /** Leaves pages that no crawl can verify. */
  readonly unverifiable?: true
  readonly plant: (builder: Builder, random: Random) => void
}

/** A defect with its name, its properties and its effect. */
export const plant = (name: string, terms: Omit<Plant, "name" | "plant">, does: Plant["plant"]): Plant => ({
  ...terms,
  name,
  plant: does
})
