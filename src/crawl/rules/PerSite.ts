import type { AnalysedSite } from "../analysis/AnalysedSite.ts"

/** A value of a site that rules need for each of its pages, computed once a site. */
export const perSite = <T>(make: (site: AnalysedSite) => T): ((site: AnalysedSite) => T) => {
  const known = new WeakMap<AnalysedSite, { readonly value: T }>()
  return (site) => {
    const found = known.get(site)
    if (found !== undefined) return found.value
    const value = make(site)
    known.set(site, { value })
    return value
  }
}
