import { catalogue, ruleOf } from "../../../src/crawl/rules/Catalogue.ts"
import type { Truth } from "./RuleTruth.ts"
import { truthOfDetails } from "./TruthOfDetails.ts"
import { truthOfPages } from "./TruthOfPages.ts"
import { truthOfScripts } from "./TruthOfScripts.ts"
import { truthOfUrls } from "./TruthOfUrls.ts"
import { isUnseen, type World } from "./World.ts"

/** The expected URLs of each check, by its id. */
export const truths: ReadonlyMap<string, Truth> = new Map(
  Object.entries({ ...truthOfUrls, ...truthOfPages, ...truthOfDetails, ...truthOfScripts })
)

/** Checks of the catalogue missing in this model, and checks of this model missing in the catalogue. */
export const unknownRules = (): ReadonlyArray<string> => {
  const ids = new Set(catalogue.map(({ id }) => id))
  return [...[...ids].filter((id) => !truths.has(id)), ...[...truths.keys()].filter((id) => !ids.has(id))]
}

/** The URLs that a check must name. */
export const expectedOf = (world: World, rule: string): ReadonlySet<string> =>
  new Set(isUnseen(world) && ruleOf(rule)?.needsRendering === true ? [] : (truths.get(rule)?.(world) ?? []))
