import * as Schema from "effect/Schema"
import { normalEscapes } from "../page/UrlIdentity.ts"
import { compile } from "../robots/Pattern.ts"

const isGlob = /^[/*][^#\s\p{Cc}]{0,2047}$/u

/** Path and query of addresses, whole, in which `*` stands for any characters, none and `/` and `?` included: `/admin/*`, `*?sort=*`, `*.pdf`. */
export const AddressGlob = Schema.String.pipe(
  Schema.pattern(isGlob, {
    message: () =>
      "must be a glob on path and query that begins with / or *, without blanks and #, such as /admin/* or *.pdf"
  })
)

/** Globs of addresses of the site, of which exclusion wins. */
export interface Globs {
  /** What these match is never requested; the start, its redirects and robots.txt are all the same. */
  readonly exclude?: ReadonlyArray<string>
  /** Only pages that one of these matches are read, besides the start; sitemaps and what pages load are requested all the same. Default: all pages. */
  readonly include?: ReadonlyArray<string>
}

/** The lists of these that name anything. */
export const writtenGlobs = ({ exclude = [], include = [] }: Globs): Globs => ({
  ...(exclude.length === 0 ? {} : { exclude }),
  ...(include.length === 0 ? {} : { include })
})

/** Why the options leave an address out: the glob that excludes it, or those of which none includes it. */
export interface LeftOut {
  readonly reason: "excluded" | "not_included"
  readonly pattern: string
}

/** What the options let a run ask for. */
export interface Scope {
  /** The glob that excludes an address from every request; null when none does. */
  readonly excludedBy: (url: URL) => string | null
  /** Why an address may not be read as a page; null when it may. */
  readonly leftOut: (url: URL) => LeftOut | null
}

const beyondAscii = /[^\x20-\x7e]+/g

/** A glob as addresses are spelt (RFC 3986 §6.2.2). */
const spelt = (glob: string): string => normalEscapes(glob.toWellFormed().replace(beyondAscii, encodeURIComponent))

/** The scope of these globs; without any every address is in it. */
export const scopeOf = ({ exclude = [], include = [] }: Globs): Scope => {
  const compiled = (glob: string) => ({ glob, matches: compile(`${spelt(glob)}$`) })
  const [out, within] = [exclude.map(compiled), include.map(compiled)]
  const pathOf = ({ pathname, search }: URL): string => normalEscapes(pathname + search)
  const excluding = (path: string) => out.find(({ matches }) => matches(path))?.glob ?? null
  return {
    excludedBy: (url) => (out.length === 0 ? null : excluding(pathOf(url))),
    leftOut: (url) => {
      if (out.length === 0 && within.length === 0) return null
      const path = pathOf(url)
      const glob = excluding(path)
      if (glob !== null) return { reason: "excluded", pattern: glob }
      return within.length === 0 || within.some(({ matches }) => matches(path))
        ? null
        : { reason: "not_included", pattern: include.join(" ") }
    }
  }
}
