import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import { Score } from "../../../foundation/schema/Scalars.ts"
import * as Csv from "../../../foundation/text/Csv.ts"

/** A domain name as URLs write it: lower case, punycode, no trailing dot. */
const normal = (text: string): string | undefined => {
  const url = URL.parse(`http://${text.trim().replace(/\.$/, "")}/`)
  return url !== null && url.host !== "" && url.href === `http://${url.hostname}/` ? url.hostname : undefined
}

/** A domain that refers to the site, and its authority from 0 to 100. */
export const ReferringDomain = Schema.Struct({ domain: Schema.String, authority: Score })
export type ReferringDomain = typeof ReferringDomain.Type

const isScore = Schema.is(Score)
const decodeJson = Schema.decodeUnknownEither(Schema.parseJson(Schema.Array(ReferringDomain)))

const normalised = (found: ReadonlyArray<ReferringDomain>): Either.Either<ReadonlyArray<ReferringDomain>, string> => {
  const domains = new Map<string, ReferringDomain>()
  for (const { authority, domain } of found) {
    const name = normal(domain)
    if (name === undefined) return Either.left(`"${domain}" is not a domain name`)
    if (domains.has(name)) return Either.left(`the domain ${name} occurs twice`)
    domains.set(name, { authority, domain: name })
  }
  // An empty export is a failed one: otherwise every backlink would count as lost.
  return domains.size === 0 ? Either.left("it has no domains") : Either.right([...domains.values()])
}

const columns = (header: ReadonlyArray<string>) => {
  const names = header.map((name) =>
    name
      .replace(/^\uFEFF/, "")
      .trim()
      .toLowerCase()
  )
  return { authority: names.indexOf("authority"), domain: names.indexOf("domain") }
}

const readCsv = (text: string): Either.Either<ReadonlyArray<ReferringDomain>, string> => {
  const found: Array<ReferringDomain> = []
  let place: ReturnType<typeof columns> | undefined
  const problem = Csv.reader(",").push(text, true, (cells) => {
    if (place === undefined) {
      place = columns(cells)
      return place.authority === -1 || place.domain === -1 ? "the columns domain and authority are required" : undefined
    }
    const written = cells[place.authority]?.trim() ?? ""
    const authority = written === "" ? Number.NaN : Number(written)
    if (!isScore(authority)) return `"${written}" is not an authority from 0 to 100`
    found.push({ authority, domain: cells[place.domain] ?? "" })
    return undefined
  })
  return problem === undefined ? normalised(found) : Either.left(`line ${problem.line}: ${problem.reason}`)
}

/** Reads an export of referring domains, each with its authority: a JSON array of objects, or CSV with a header. */
export const read = (text: string): Either.Either<ReadonlyArray<ReferringDomain>, string> =>
  /^\uFEFF?\s*\[/.test(text)
    ? Either.flatMap(
        Either.mapLeft(decodeJson(text.replace(/^\uFEFF/, "")), ({ message }) => message),
        normalised
      )
    : readCsv(text)
