import { catalogue } from "../../../src/crawl/rules/Catalogue.ts"
import { covering, generate, rounds } from "./Generate.ts"
import { origin, seeds } from "./Seeds.ts"
import { expectedOf } from "./Truth.ts"
import { worldOf } from "./World.ts"

const ids = catalogue.flatMap(({ id, onlyRendered }) => (onlyRendered === true ? [] : [id]))

/** The checks of these that fail on the site of a seed. */
const failing = (seed: number, among: Iterable<string>): ReadonlyArray<string> => {
  const world = worldOf(generate(seed, { origin }), true, true)
  return [...among].filter((id) => expectedOf(world, id).size > 0)
}

/** Few seeds whose sites together contain every defect, and one more for each check whose issues the other defects of those sites hide. */
export const showing = (byLot: number): ReadonlyArray<number> => {
  const every = covering(origin, byLot)
  const unmet = new Set(ids)
  const shows = (seed: number) => {
    const shown = failing(seed, unmet)
    for (const id of shown) unmet.delete(id)
    return shown.length > 0
  }
  for (const seed of every) shows(seed)
  const others = seeds(rounds).filter((seed) => !every.includes(seed))
  return [...every, ...others.filter((seed) => unmet.size > 0 && shows(seed))]
}
