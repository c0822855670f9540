import * as Schema from "effect/Schema"
import { catalogue } from "../crawl/rules/Catalogue.ts"
import { nearest } from "../schema/Nearest.ts"

const known: ReadonlySet<string> = new Set(catalogue.map(({ id }) => id))

/** The name of a rule of the catalogue. */
export const KnownRule = Schema.String.pipe(
  Schema.filter((text) => known.has(text), {
    message: ({ actual }) => {
      const near = nearest(String(actual), [...known])
      return `${String(actual)} is no rule${near === undefined ? "" : `; did you mean ${near}?`}`
    }
  })
)
