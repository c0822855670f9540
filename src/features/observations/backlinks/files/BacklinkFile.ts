import * as Either from "effect/Either"
import type { OnRecord } from "../../../../foundation/text/Csv.ts"
import * as CsvFile from "../../../../foundation/text/CsvFile.ts"
import type { Rel, Source } from "../Domain.ts"
import { countOf, domainOf, isOwn, isSet, numberOf, pageOf, rootOf } from "./Cells.ts"
import { type Columns, columnsOf, type Record } from "./Columns.ts"

/** A linking page that a file reports. */
export interface LinkRow {
  readonly source_url: string
  readonly source_host: string
  readonly source_domain: string
  readonly root_domain: string
  readonly target_url: string | null
  readonly anchor_text: string | null
  readonly rel: ReadonlyArray<Rel>
}

/** What a file says of a domain. */
export interface DomainRow {
  readonly domain: string
  readonly root_domain: string
  readonly authority: number | null
  readonly reported_links: number | null
  /** Whether the file is a list of domains, and names it there. */
  readonly is_listed: boolean
}

/** What a part of a file holds. */
export interface Rows {
  readonly source: Source
  readonly of: Columns["of"]
  /** Rows that were read, those that are left out among them. */
  readonly read: number
  readonly links: ReadonlyArray<LinkRow>
  readonly domains: ReadonlyArray<DomainRow>
  readonly own_host: number
  readonly reported_lost: number
  readonly too_long: number
}

/** Why a file cannot be imported: nothing of it is stored. Line 0 is the file as a whole. */
export interface Problem {
  readonly line: number
  readonly reason: string
}

/** Records that decide what the columns hold. */
const looked = 50
const longestUrl = 2048
const longestText = 500

const shown = (text: string) => (text.length > 100 ? `${text.slice(0, 100)}…` : text)

/** Reads an export piece by piece; `take` gives the rows since the last time. */
export const reader = (format: Source | "auto", site: string) => {
  const csv = CsvFile.reader()
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
    if (page === undefined) return `"${shown(what)}" is not the address of a page`
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

  /** Decides the columns by the records that were held back, and reads those. */
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
