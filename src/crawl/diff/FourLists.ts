import type { Cause, Side } from "./CrawlDiff.ts"

/** The faults that one of two runs names. */
interface Named<U> {
  readonly named: ReadonlyArray<U>
  /** Why the other run leaves open whether a fault is there: null when the fault is not there, undefined when the other run names it too. */
  readonly open: (unit: U) => Cause | null | undefined
}

/** Sorts every fault that either run names into exactly one of four lists. */
export const sorted = <U extends object>(before: Named<U>, after: Named<U>) => {
  const not_comparable: Array<U & { readonly cause: Cause; readonly found_in: Side }> = []
  /** The faults of a run that the other names too, and those that are certainly not there. */
  const divided = ({ named, open }: Named<U>, found_in: Side) => {
    const both: Array<U> = []
    const own: Array<U> = []
    for (const unit of named) {
      const cause = open(unit)
      if (cause === undefined) both.push(unit)
      else if (cause === null) own.push(unit)
      else not_comparable.push({ ...unit, cause, found_in })
    }
    return { both, own }
  }
  const now = divided(after, "after")
  const old = divided(before, "before")
  return { new: now.own, fixed: old.own, persisting: now.both, not_comparable }
}
