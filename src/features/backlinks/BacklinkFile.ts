import * as Either from "effect/Either"
import * as Domain from "tldts"
import { bareHost, isWebAddress } from "../../foundation/schema/Scalars.ts"
import { csvReader, type OnRecord } from "../../foundation/text/Csv.ts"
import type { Rel, Source } from "./Domain.ts"

/** A normalized domain name: lower case, punycode, no trailing dot, no `www.`; undefined for other text. */
export const domainOf = (text: string): string | undefined => {
  const name = text.trim().replace(/\.$/, "")
  if (name === "" || /[\s/?#@:\\]/.test(name)) return undefined
  const url = URL.parse(`http://${name}/`)
  return url === null || !url.hostname.includes(".") ? undefined : bareHost(url.hostname)
}

/** The registered name of a host, by the list of public suffixes; a name below a private suffix, such as a platform's blog, counts as registered. */
export const rootOf = (domain: string): string => Domain.getDomain(domain, { allowPrivateDomains: true }) ?? domain

/** A page's URL without credentials and fragment; undefined for other text. */
const pageOf = (text: string): URL | undefined => {
  const written = text.trim()
  const url = isWebAddress(written) ? URL.parse(written) : null
  if (url === null) return undefined
  url.username = ""
  url.password = ""
  url.hash = ""
  return url
}

/** Whether a host (with its port) is the site's host or a subdomain; `www.` does not matter. */
export const isOwn = (site: string, host: string): boolean => {
  const [own, other] = [bareHost(site), bareHost(host)]
  return other === own || other.endsWith(`.${own}`)
}

const grouped = /^\d{1,3}(?:[,.'\u2019\u00a0\u202f ]\d{3})+$/

/** A count with or without thousands separators; undefined for other text. */
const countOf = (text: string): number | undefined => {
  const written = text.trim()
  if (/^\d{1,15}$/.test(written)) return Number(written)
  return grouped.test(written) ? Number(written.replace(/\D/g, "").slice(0, 15)) : undefined
}

/** A number such as 78, 60.5 or 60,5; undefined for other text. */
const numberOf = (text: string): number | undefined => {
  const written = text.trim().replace(",", ".")
  return /^-?\d{1,9}(?:\.\d+)?$/.test(written) ? Number(written) : undefined
}

/** Whether a flag of an export is set. */
const isSet = (text: string): boolean => /^(?:1|true|yes|y|x|nofollow|ugc|sponsored)$/i.test(text.trim())

/** Dates in the formats of exports, with or without a time. */
const date =
  /^(?:\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|\d{1,2}[-/.]\d{1,2}[-/.]\d{2,4}|\p{L}{3,12}\.? \d{1,2},? \d{4}|\d{1,2}\.? \p{L}{3,12}\.? \d{4})(?:[T ,].*)?$/u

/** The kind of a cell. */
type Kind = "empty" | "url" | "domain" | "number" | "date" | "text"

const kindOf = (text: string): Kind => {
  const written = text.trim()
  if (written === "") return "empty"
  if (isWebAddress(written)) return "url"
  if (countOf(written) !== undefined || numberOf(written) !== undefined) return "number"
  if (date.test(written)) return "date"
  return domainOf(written) === undefined ? "text" : "domain"
}

/** A record with its line, from 1. */
interface Record {
  readonly cells: ReadonlyArray<string>
  readonly line: number
}

/** Columns of a table by content. */
interface Places {
  readonly anchor: number | undefined
  readonly authority: number | undefined
  readonly links: number | undefined
  readonly lost: number | undefined
  readonly target: number | undefined
  readonly nofollow: number | undefined
  readonly sponsored: number | undefined
  readonly ugc: number | undefined
}

/** A table of linking pages or of domains. */
interface Columns extends Places {
  readonly of: "links" | "domains"
  /** The column of the linking page or the domain. */
  readonly what: number
  readonly source: Source
  /** Whether the first record is already data. */
  readonly isHeadless: boolean
}

/** Column names of tools' exports; only hints, because the cells decide. */
const names = {
  anchor: ["anchor", "anchor text", "anchortext", "anchor_text"],
  authority: [
    "domain rating",
    "dr",
    "page ascore",
    "domain ascore",
    "sourcetrustflow",
    "trustflow",
    "domain authority",
    "da",
    "authority"
  ],
  domain: ["domain", "root domain", "referring domain", "site", "website"],
  links: ["links", "linking pages", "backlinks", "links to target"],
  lost: ["lost link", "lost", "datelost", "date lost", "lost date"],
  nofollow: ["nofollow", "flagnofollow", "no follow"],
  source: ["referring page url", "source url", "sourceurl", "source_url", "linking page", "url", "source"],
  sponsored: ["sponsored", "flagsponsored"],
  target: ["target url", "targeturl", "target_url", "link url", "target"],
  ugc: ["ugc", "user generated", "flagugc"]
} as const

const tools: ReadonlyArray<readonly [Source, ReadonlyArray<string>]> = [
  ["ahrefs", ["referring page url", "domain rating", "dr"]],
  ["semrush", ["page ascore", "domain ascore"]],
  ["majestic", ["sourceurl", "sourcetrustflow", "trustflow"]],
  ["moz", ["root domain", "domain authority"]]
]

/** Kinds that decide a column with only half of its cells: in a file of two rows, one may be invalid. */
const decisive: ReadonlyArray<Kind> = ["url", "domain"]

/** The kind of most non-empty cells of a column: single other cells are faults, which reading finds. */
const kindIn = (rows: ReadonlyArray<Record>, column: number): Kind => {
  const counts = new Map<Kind, number>()
  for (const { cells } of rows) {
    const kind = kindOf(cells[column] ?? "")
    if (kind !== "empty") counts.set(kind, (counts.get(kind) ?? 0) + 1)
  }
  const filled = [...counts.values()].reduce((sum, count) => sum + count, 0)
  if (filled === 0) return "empty"
  const half = decisive.find((kind) => 2 * (counts.get(kind) ?? 0) === filled)
  return [...counts].find(([, count]) => 2 * count > filled)?.[0] ?? half ?? "text"
}

/** Decides the columns of a table by its first records, for a site's host; the left side says why the table is unusable. */
const columnsOf = (
  first: Record,
  rows: ReadonlyArray<Record>,
  format: Source | "auto",
  site: string
): Either.Either<Columns, string> => {
  const isHeadless = first.cells.some((cell) => ["url", "number", "date"].includes(kindOf(cell)))
  const all = isHeadless ? [first, ...rows] : rows
  if (all.length === 0) return Either.left("the file has a header but no rows")
  const header = isHeadless ? [] : first.cells.map((name) => name.trim().toLowerCase())
  const kinds = Array.from({ length: Math.max(...all.map(({ cells }) => cells.length)) }, (_, at) => kindIn(all, at))
  const named = (name: keyof typeof names) =>
    names[name].map((wanted) => header.indexOf(wanted)).find((at) => at !== -1)
  const of = (kind: Kind) => kinds.flatMap((found, at) => (found === kind ? [at] : []))
  const isOf = (at: number | undefined, kind: Kind) => (at !== undefined && kinds[at] === kind ? at : undefined)
  const tool = tools.find(([, marks]) => marks.some((mark) => header.includes(mark)))?.[0]
  const places: Places = {
    anchor: named("anchor"),
    authority: named("authority"),
    links: isOf(named("links"), "number"),
    lost: named("lost"),
    nofollow: named("nofollow"),
    sponsored: named("sponsored"),
    target: undefined,
    ugc: named("ugc")
  }

  /** Number of cells in a column with URLs of the site itself. */
  const ownIn = (at: number) =>
    all.filter(({ cells }) => {
      const page = pageOf(cells[at] ?? "")
      return page !== undefined && isOwn(site, page.host)
    }).length

  /** Number of cells in a column with URLs. */
  const urlsIn = (at: number) => all.filter(({ cells }) => kindOf(cells[at] ?? "") === "url").length

  const [numbers, urls] = [of("number"), of("url").filter((at) => at !== places.anchor)]
  const [linking, domain] = [named("source"), named("domain") ?? of("domain")[0]]
  if (urls.length > 0 || (linking !== undefined && domain === undefined)) {
    const byOwn = urls.toSorted((a, b) => ownIn(a) - ownIn(b))
    const least = byOwn.find((at) => at !== named("target")) ?? byOwn[0]
    // If a column is named as linking pages and no other can be it, its cells are invalid, which reading finds.
    const isLinking =
      linking !== undefined && (urlsIn(linking) > 0 || least === undefined || ownIn(least) === urlsIn(least))
    const what = (isLinking ? linking : least) ?? 0
    const others = urls.filter((at) => at !== what)
    const target = isOf(named("target"), "url") ?? others.findLast((at) => ownIn(at) > 0)
    const isOfConsole = format === "gsc-links" || (format === "auto" && tool === undefined)
    const isTargets = isOfConsole && urls.length === 1 && numbers.length > 0 && of("date").length === 0
    if (isTargets && places.authority === undefined)
      return Either.left(
        "this table lists target pages without linking pages. Export latest links, more sample links or top linking sites instead"
      )
    const isPlain = kinds.every((kind) => kind === "url" || kind === "date" || kind === "empty") && urls.length === 1
    const source = format === "auto" ? (tool ?? (isPlain ? "gsc-links" : "csv")) : format
    return Either.right({ ...places, isHeadless, of: "links", source, target, what })
  }
  if (domain === undefined)
    return Either.left(
      "no column has URLs of linking pages or names of domains. Export the backlinks or referring domains table"
    )
  const isSites = places.authority === undefined && numbers.length >= 2 && (format === "auto" || format === "gsc-links")
  const links = places.links ?? (isSites ? numbers[0] : undefined)
  const source = format === "auto" ? (tool ?? (isSites ? "gsc-links" : "csv")) : format
  return Either.right({ ...places, isHeadless, links, of: "domains", source, what: domain })
}

/** A linking page of a file. */
interface LinkRow {
  readonly source_url: string
  readonly source_host: string
  readonly source_domain: string
  readonly root_domain: string
  readonly target_url: string | null
  readonly anchor_text: string | null
  readonly rel: ReadonlyArray<Rel>
}

/** A domain of a file. */
interface DomainRow {
  readonly domain: string
  readonly root_domain: string
  readonly authority: number | null
  readonly reported_links: number | null
  /** Whether the file is a list of domains that includes the domain. */
  readonly is_listed: boolean
}

/** The content of a part of a file. */
export interface Rows {
  readonly source: Source
  readonly of: Columns["of"]
  /** All rows read, including dropped ones. */
  readonly read: number
  readonly links: ReadonlyArray<LinkRow>
  readonly domains: ReadonlyArray<DomainRow>
  readonly own_host: number
  readonly reported_lost: number
  readonly too_long: number
}

/** Why a file cannot be imported: nothing is stored. Line 0 is the whole file. */
interface Problem {
  readonly line: number
  readonly reason: string
}

/** Records for deciding the columns. */
const looked = 50
const longestUrl = 2048
const longestText = 500

const shown = (text: string) => (text.length > 100 ? `${text.slice(0, 100)}…` : text)

/** Reads an export piece by piece; `take` returns the rows since its last call. */
export const reader = (format: Source | "auto", site: string) => {
  const csv = csvReader()
  const held: Array<Record> = []
  let columns: Columns | undefined
  let links: Array<LinkRow> = []
  let domains = new Map<string, DomainRow>()
  let [read, own_host, reported_lost, too_long] = [0, 0, 0, 0]

  const note = (domain: string, row: Omit<DomainRow, "domain" | "root_domain">) => {
    const known = domains.get(domain)
    const authority = Math.max(known?.authority ?? -1, row.authority ?? -1)
    const reported = Math.max(known?.reported_links ?? -1, row.reported_links ?? -1)
    domains.set(domain, {
      authority: authority < 0 ? null : authority,
      domain,
      is_listed: row.is_listed,
      reported_links: reported < 0 ? null : reported,
      root_domain: rootOf(domain)
    })
  }

  const onRow = (at: Columns, cells: ReadonlyArray<string>): string | undefined => {
    const cell = (place: number | undefined) => (place === undefined ? "" : (cells[place] ?? ""))
    const written = cell(at.authority).trim()
    const authority = written === "" ? null : numberOf(written)
    if (authority === undefined || (authority !== null && (authority < 0 || authority > 100)))
      return `"${shown(written)}" is not an authority from 0 to 100`
    read += 1
    const what = cell(at.what)
    if (at.of === "domains") {
      const domain = domainOf(what)
      if (domain === undefined) return `"${shown(what)}" is not a domain name`
      if (isOwn(site, domain)) own_host += 1
      else note(domain, { authority, is_listed: true, reported_links: countOf(cell(at.links)) ?? null })
      return undefined
    }
    const page = pageOf(what)
    if (page === undefined) return `"${shown(what)}" is not the URL of a page`
    if (isOwn(site, page.host)) own_host += 1
    else if (page.href.length > longestUrl) too_long += 1
    else if (at.lost !== undefined && !/^(?:|0|false|no|n)$/i.test(cell(at.lost).trim())) reported_lost += 1
    else {
      const domain = domainOf(page.hostname) ?? page.hostname
      const target = pageOf(cell(at.target))?.href
      links.push({
        anchor_text:
          at.anchor === undefined
            ? null
            : cell(at.anchor).replaceAll("\0", "").trim().slice(0, longestText).toWellFormed(),
        rel: (["nofollow", "ugc", "sponsored"] as const).filter((mark) => isSet(cell(at[mark]))),
        root_domain: rootOf(domain),
        source_domain: domain,
        source_host: page.host,
        source_url: page.href,
        target_url: target === undefined || target.length > longestUrl ? null : target
      })
      if (authority !== null) note(domain, { authority, is_listed: false, reported_links: null })
    }
    return undefined
  }

  /** Decides the columns by the held records, and reads these records. */
  const decide = (): Problem | undefined => {
    const [first, ...rows] = held
    if (first === undefined) return { line: 0, reason: "the file is empty" }
    const decided = columnsOf(first, rows, format, site)
    if (Either.isLeft(decided)) return { line: rows.length === 0 ? 0 : 1, reason: decided.left }
    columns = decided.right
    for (const { cells, line } of decided.right.isHeadless ? held : rows) {
      const reason = onRow(decided.right, cells)
      if (reason !== undefined) return { line, reason }
    }
    return undefined
  }

  let problem: Problem | undefined
  const onRecord: OnRecord = (cells, line) => {
    if (columns !== undefined) return onRow(columns, cells)
    held.push({ cells: [...cells], line })
    if (held.length < looked) return undefined
    problem = decide()
    return problem?.reason
  }

  return {
    push: (bytes: Uint8Array, last: boolean): Problem | undefined => {
      const found = csv.push(bytes, last, onRecord)
      if (found !== undefined) return problem ?? found
      return last && columns === undefined ? decide() : undefined
    },
    take: (): Rows | undefined => {
      if (columns === undefined) return undefined
      const { of, source } = columns
      const rows = { domains: [...domains.values()], links, of, own_host, read, reported_lost, source, too_long }
      links = []
      domains = new Map()
      read = own_host = reported_lost = too_long = 0
      return rows
    }
  }
}
