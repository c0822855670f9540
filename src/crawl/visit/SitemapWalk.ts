import * as Effect from "effect/Effect"
import { askAgain } from "../fetch/Confirm.ts"
import { type Answered, isThrottled, redirectTarget } from "../fetch/Fetcher.ts"
import { hasCredentials, maskedReference } from "../page/Credentials.ts"
import { identity, parseUrl } from "../page/UrlIdentity.ts"
import type { OutOfTime } from "../politeness/HostLimiter.ts"
import type { SitemapFile } from "../report/CrawlResult.ts"
import { sitemapAddress } from "../robots/Parse.ts"
import { isOutOfReach, sameSite } from "../site/Site.ts"
import { noDates, type SitemapDates, withDate } from "../sitemap/Dates.ts"
import { maxBytes, maxEntries, read } from "../sitemap/Files.ts"
import type { Alternate, Sitemap } from "../sitemap/SitemapFacts.ts"
import type { Visitor } from "./Visitor.ts"

/** The content of the site's sitemaps, as far as it was read. */
export interface SitemapReading {
  readonly files: ReadonlyArray<SitemapFile>
  /** Files that Googlebot may not read, even if this crawler may. */
  readonly shutOut: ReadonlySet<string>
  /** Whether robots.txt or an index names a file; otherwise the crawl only tried the usual places, where no sitemap is required. */
  readonly isNamed: boolean
  /**
   * The folder whose pages the files may list (sitemaps.org protocol, Sitemap file location): the whole site, unless all read files are in a folder of the
   * start.
   */
  readonly folder: string
  /** Page URLs in order, first occurrence only. */
  readonly urls: ReadonlyArray<string>
  /** Language versions by the page whose entry names them. */
  readonly alternates: ReadonlyMap<string, ReadonlyArray<Alternate>>
  readonly foreign: ReadonlyArray<string>
  readonly foreignCount: number
  readonly dates: SitemapDates
  /** Every named file was read to its end. */
  readonly complete: boolean
  /** robots.txt names a sitemap without its full URL, or out of reach, and no requested file can be that one. */
  readonly lacksNamed: boolean
}

/** Maximum sitemap files of one crawl, and maximum characters of their kept URLs. */
const maxFiles = 10
const maxCharacters = 8 * 1024 * 1024
/** Maximum entries to keep language versions of: more than a crawl looks at. */
const maxAlternates = 5000
const maxForeign = 100
const maxRedirects = 5

/** The state of a reading. */
interface Reading {
  readonly start: URL
  isNamed: boolean
  readonly files: Array<SitemapFile>
  readonly shutOut: Set<string>
  readonly urls: Array<string>
  readonly alternates: Map<string, ReadonlyArray<Alternate>>
  readonly known: Set<string>
  /** Characters of URLs that still fit. */
  room: number
  readonly foreign: Array<string>
  foreignCount: number
  dates: SitemapDates
  complete: boolean
}

interface Read {
  readonly file: SitemapFile
  readonly sitemap: Sitemap | null
}

const unread = (url: URL, state: SitemapFile["state"], problems: SitemapFile["problems"] = []): Read => ({
  file: { url: maskedReference(url.href), state, kind: null, urls: 0, problems },
  sitemap: null
})

/** A response other than a sitemap; a throttled response says nothing about the sitemap. */
const refused = (url: URL, status: number): Read => {
  if (isThrottled(status)) return unread(url, "unreachable")
  return unread(url, "unreachable", [{ kind: "http_error", count: 1, detail: `answers ${status}` }])
}

/** The bytes, typed as not shared between threads. */
const owned = (bytes: Uint8Array): Uint8Array<ArrayBuffer> =>
  bytes.buffer instanceof ArrayBuffer
    ? new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    : new Uint8Array(bytes)

/** Whether a file lists any URL, of this host or of others. */
const listsAny = ({ entries, foreignCount }: Sitemap): boolean => entries.length + foreignCount > 0

const readFile = Effect.fnUntraced(function* (url: URL, answer: Answered, insideIndex: boolean) {
  if (answer.status >= 400 && answer.status < 500 && !isThrottled(answer.status)) return unread(url, "absent")
  if (answer.status >= 300) return refused(url, answer.status)
  const whole = yield* read(url.href, owned(answer.body), { insideIndex, trailing: answer.trailing })
  const sitemap = { ...whole, complete: whole.complete && !answer.overlong }
  const problems = sitemap.problems.slice(0, 20).map(({ line, ...problem }) => ({
    ...problem,
    ...(line === null ? {} : { line })
  }))
  const unreadable = !listsAny(sitemap) && problems.length > 0
  const file: SitemapFile = {
    url: url.href,
    state: unreadable ? "unreadable" : "read",
    kind: sitemap.kind,
    urls: sitemap.entries.length,
    problems
  }
  const found: Read = { file, sitemap }
  return found
})

interface Place {
  readonly start: URL
  readonly insideIndex: boolean
}

const load = (visitor: Visitor, place: Place, url: URL, hops = 0): Effect.Effect<Read, OutOfTime> =>
  Effect.gen(function* () {
    if (hasCredentials(url)) return unread(url, "unreachable", [{ kind: "has_credentials", count: 1, detail: null }])
    // A sitemap on another host proves nothing about this site, and is not this crawl's to fetch.
    if (!sameSite(place.start, url) || visitor.scope.excludedBy(url) !== null) return unread(url, "skipped")
    const robots = yield* visitor.robots.of(url)
    if (robots.state === "unreachable" || robots.state === "unknown") return unread(url, "unreachable")
    if (!robots.verdict(url.href).allowed) return unread(url, "blocked_by_robots")
    const { confirmAfter, pageDeadline } = visitor.timing
    const request = { url, cookies: null, deadline: pageDeadline, keepBytes: maxBytes, maxBytes }
    const answer = yield* askAgain(visitor.fetcher, request, confirmAfter)
    if (answer._tag === "Lost") return unread(url, "unreachable")
    const next = redirectTarget(answer, url)
    const goesOn = next !== null && hops < maxRedirects
    return yield* goesOn ? load(visitor, place, next, hops + 1) : readFile(url, answer, place.insideIndex)
  })

/** Adds the content of one file and drops its entries, because all files together may hold many times what a crawl keeps. */
const take = (reading: Reading, { file, sitemap }: Read, named: boolean): void => {
  reading.files.push(file)
  if (sitemap === null) {
    reading.complete &&= !named && file.state === "absent"
    return
  }
  reading.complete &&= sitemap.complete
  // Files of an index may be on another host that says so; on one out of reach they are nowhere.
  const isIndex = sitemap.kind === "index"
  const foreign = sitemap.foreign
    .map(({ url }) => url)
    .filter((url) => !isIndex || isOutOfReach(reading.start, new URL(url)))
  reading.foreignCount += isIndex ? foreign.length : sitemap.foreignCount
  reading.foreign.push(...foreign.slice(0, maxForeign - reading.foreign.length))
  if (isIndex) return
  for (const entry of sitemap.entries) {
    const { alternates, url } = entry
    if (alternates !== undefined && reading.alternates.size < maxAlternates) reading.alternates.set(url, alternates)
    if (reading.known.has(url)) continue
    reading.dates = withDate(reading.dates, entry)
    reading.room -= url.length
    if (reading.urls.length === maxEntries || reading.room < 0) {
      reading.complete = false
      return
    }
    reading.known.add(url)
    reading.urls.push(url)
  }
}

const pathOf = ({ pathname, search }: URL): string => pathname + search

/** The public sitemap URL of a `Sitemap` line; null when it is not written in full, or is out of reach. */
const namedBy = (value: string, start: URL): URL | null => {
  const url = sitemapAddress(value)
  return url === null || isOutOfReach(start, url) ? null : url
}

/** Whether a value without a public URL may mean one of the site's files: by a path, or by a host and a path. */
const mayMean = (value: string, start: URL, paths: ReadonlySet<string>): boolean =>
  [parseUrl(value, new URL("/robots.txt", start).href), parseUrl(`${start.protocol}//${value}`, null)].some(
    (url) => url !== null && (sameSite(start, url) || isOutOfReach(start, url)) && paths.has(pathOf(url))
  )

/**
 * Folders below the host's root that may have the sitemap, outer one first: the first folder of the start's path, such as a project's on a shared host, and
 * the start's own.
 */
const foldersOf = ({ pathname }: URL): ReadonlyArray<string> => {
  const own = pathname.slice(0, pathname.lastIndexOf("/") + 1)
  const [first = "/"] = /^\/[^/]+\//.exec(own) ?? []
  return [...new Set([first, own])].filter((folder) => folder !== "/")
}

/**
 * Reads the sitemaps of robots.txt, or without any the usual places: `/sitemap.xml`, and one in the folder of the start; follows an index one level deep. A
 * Sitemap line without scheme or host is ignored, because search engines do not complete it and the crawl requests only URLs that the site writes.
 */
export const readSitemaps = (visitor: Visitor, start: URL): Effect.Effect<SitemapReading, OutOfTime> =>
  Effect.gen(function* () {
    const robots = yield* visitor.robots.of(start)
    const values = robots.robots?.sitemaps ?? []
    const names = values.flatMap((value) => namedBy(value, start) ?? [])
    const hasNames = names.length > 0
    const reading: Reading = {
      start,
      isNamed: hasNames,
      files: [],
      shutOut: new Set(),
      urls: [],
      alternates: new Map(),
      known: new Set(),
      room: maxCharacters,
      foreign: [],
      foreignCount: 0,
      dates: noDates,
      complete: true
    }
    const seen = new Set<string>()
    /** Adds a file and returns the files of an index; a merely tried file counts only if it is a sitemap. */
    const open = (url: URL, insideIndex: boolean, isTried = false) =>
      Effect.gen(function* () {
        const address = identity(url)
        if (seen.has(address)) return []
        seen.add(address)
        const read =
          reading.files.length >= maxFiles
            ? unread(url, "skipped")
            : yield* load(visitor, { start, insideIndex }, new URL(address))
        if (isTried && (read.sitemap === null || !listsAny(read.sitemap))) return []
        const file = visitor.robots.known(new URL(read.file.url))
        if (file?.state === "parsed" && !file.google(read.file.url).allowed) reading.shutOut.add(read.file.url)
        reading.isNamed ||= insideIndex
        take(reading, read, hasNames)
        return read.sitemap?.kind === "index" ? read.sitemap.entries.slice(0, maxFiles * 2) : []
      })
    const follow = (root: URL, isTried = false) =>
      Effect.gen(function* () {
        const before = reading.files.length
        for (const { url } of yield* open(root, false, isTried)) if (URL.canParse(url)) yield* open(new URL(url), true)
        return reading.files[before]?.state === "read"
      })
    const roots = hasNames ? names : [new URL("/sitemap.xml", start)]
    let isRootRead = false
    for (const root of roots.slice(0, maxFiles * 2)) isRootRead = (yield* follow(root)) || isRootRead
    const below: Array<string> = []
    for (const folder of hasNames ? [] : foldersOf(start))
      if (yield* follow(new URL(`${folder}sitemap.xml`, start), true)) below.push(folder)
    const { alternates, dates, files, foreign, foreignCount, isNamed, shutOut, urls } = reading
    const own = [...seen].map((address) => new URL(address)).filter((url) => sameSite(start, url))
    const paths = new Set(own.map(pathOf))
    const lacksNamed = [...new Set(values)].some(
      (value) => value !== "" && namedBy(value, start) === null && !mayMean(value, start, paths)
    )
    return {
      alternates,
      complete: reading.complete && !lacksNamed,
      dates,
      files,
      folder: hasNames || isRootRead ? "/" : (below[0] ?? "/"),
      foreign,
      foreignCount,
      isNamed,
      lacksNamed,
      shutOut,
      urls
    }
  })
