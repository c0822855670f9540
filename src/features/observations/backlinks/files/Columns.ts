import * as Either from "effect/Either"
import type { Source } from "../Domain.ts"
import { isOwn, type Kind, kindOf, pageOf } from "./Cells.ts"

/** A record with its line, from 1. */
export interface Record {
  readonly cells: ReadonlyArray<string>
  readonly line: number
}

/** Where a table holds what. */
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

/** A table of linking pages, or one of domains. */
export interface Columns extends Places {
  readonly of: "links" | "domains"
  /** The column of the linking page, or of the domain. */
  readonly what: number
  readonly source: Source
  /** Whether the first record is a row. */
  readonly isHeadless: boolean
}

/** Names of columns in the exports of tools: hints, for the cells decide. */
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

/** The kind of most cells of a column that are not empty: single others are faults of the file, and are found when it is read. */
const kindIn = (rows: ReadonlyArray<Record>, column: number): Kind => {
  const counts = new Map<Kind, number>()
  for (const { cells } of rows) {
    const kind = kindOf(cells[column] ?? "")
    if (kind !== "empty") counts.set(kind, (counts.get(kind) ?? 0) + 1)
  }
  const filled = [...counts.values()].reduce((sum, count) => sum + count, 0)
  return [...counts].find(([, count]) => 2 * count > filled)?.[0] ?? (filled === 0 ? "empty" : "text")
}

/** Decides by the first records what a table's columns hold, for the site whose host is given; the left side says why it is of no use. */
export const columnsOf = (
  first: Record,
  rows: ReadonlyArray<Record>,
  format: Source | "auto",
  site: string
): Either.Either<Columns, string> => {
  const isHeadless = first.cells.some((cell) => ["url", "number", "date"].includes(kindOf(cell)))
  const all = isHeadless ? [first, ...rows] : rows
  if (all.length === 0) return Either.left("it has no rows")
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

  /** How many cells of a column are addresses of the site itself. */
  const ownIn = (at: number) =>
    all.filter(({ cells }) => {
      const page = pageOf(cells[at] ?? "")
      return page !== undefined && isOwn(site, page.host)
    }).length

  const [numbers, urls] = [of("number"), of("url").filter((at) => at !== places.anchor)]
  if (urls.length > 0) {
    const byOwn = urls.toSorted((a, b) => ownIn(a) - ownIn(b))
    const what = isOf(named("source"), "url") ?? byOwn.find((at) => at !== named("target")) ?? byOwn[0] ?? 0
    const others = urls.filter((at) => at !== what)
    const target = isOf(named("target"), "url") ?? others.findLast((at) => ownIn(at) > 0)
    const isTargets = urls.length === 1 && numbers.length > 0 && of("date").length === 0 && tool === undefined
    if (isTargets && places.authority === undefined)
      return Either.left(
        "this is a table of target pages: it names no linking page; export the latest links, more sample links or the top linking sites instead"
      )
    const isPlain = kinds.every((kind) => kind === "url" || kind === "date" || kind === "empty") && urls.length === 1
    const source = format === "auto" ? (tool ?? (isPlain ? "gsc-links" : "csv")) : format
    return Either.right({ ...places, isHeadless, of: "links", source, target, what })
  }
  const domain = named("domain") ?? of("domain")[0]
  if (domain === undefined) return Either.left("no column holds addresses of linking pages, and none names of domains")
  const isSites = places.authority === undefined && numbers.length >= 2
  const links = places.links ?? (isSites ? numbers[0] : undefined)
  const source = format === "auto" ? (tool ?? (isSites ? "gsc-links" : "csv")) : format
  return Either.right({ ...places, isHeadless, links, of: "domains", source, what: domain })
}
