import * as Context from "effect/Context"
import { BodyValues } from "../../foundation/http/Contract.ts"
import type { Steps } from "../../foundation/schema/Steps.ts"

/** Values outside of long lists, and in one member of a list: as many as in a usual body. A message about one value may quote all that is in it. */
const most = Context.get(Context.empty(), BodyValues)

type IsApart = (list: ReadonlyArray<unknown>, path: string) => boolean

/** How many values this is, those in it included, until there are too many; a list that is apart is one. */
const countOf = (value: unknown, path: string, isApart: IsApart): number => {
  if (typeof value !== "object" || value === null || (Array.isArray(value) && isApart(value, path))) return 1
  let count = 1
  for (const [name, member] of Array.isArray(value) ? value.entries() : Object.entries(value)) {
    count += countOf(member, path === "" ? String(name) : `${path}.${name}`, isApart)
    if (count > most) break
  }
  return count
}

/** Why a body with long lists at these paths has too much elsewhere, if it has; nothing is said of a body that may have none. */
export const problemOf = function* (body: unknown, lists: ReadonlyArray<string>): Steps<string | undefined> {
  if (lists.length === 0) return undefined
  const long: Array<readonly [path: string, list: ReadonlyArray<unknown>]> = []
  const outside = countOf(body, "", (list, path) => lists.includes(path) && long.push([path, list]) > 0)
  if (outside > most) return `contains more than ${most} values outside of ${lists.join(", ")}`
  for (const [path, list] of long) {
    for (const [index, member] of list.entries()) {
      const count = countOf(member, path, () => false)
      if (count > most) return `contains more than ${most} values in ${path}.${index}`
      yield count
    }
  }
  return undefined
}
