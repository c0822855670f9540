import type { Builder } from "./Builder.ts"
import type { Random } from "./Random.ts"

/** A defect (or a decoy that looks like one) that can be put into any site. */
export interface Plant {
  readonly name: string
  /** URLs it adds at most. */
  readonly cost: number
  /** It changes the whole site or costs much time, so it is planted only in turn and never by lot. */
  readonly rare?: true
  /** Needs https addresses, or a second origin. */
  readonly secure?: true
  /** Leaves pages that no run can verify. */
  readonly unverifiable?: true
  readonly plant: (builder: Builder, random: Random) => void
}

/** A plant by its name, what else holds of it, and what it does. */
export const plant = (name: string, terms: Omit<Plant, "name" | "plant">, does: Plant["plant"]): Plant => ({
  ...terms,
  name,
  plant: does
})
