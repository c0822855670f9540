import { isWeb } from "../../foundation/schema/WebAddress.ts"
import { keep, maxUrl } from "../page/Strings.ts"
import { httpIdentity, identity, parseUrl, plainBase } from "../page/UrlIdentity.ts"
import { sameSite } from "../site/Site.ts"
import type { SitemapEntry, SitemapProblem, SitemapProblemKind } from "./SitemapFacts.ts"

const maxForeign = 100
const maxLastmod = 64
/** Characters of all addresses of one file: 160 for each of the most that there may be. */
const maxCharacters = 8 * 1024 * 1024

/** Collects what one sitemap file says, whatever its form: its addresses sorted by host, and its faults counted. */
export class FileLedger {
  readonly entries: Array<SitemapEntry> = []
  readonly foreign: Array<SitemapEntry> = []
  foreignCount = 0
  /** Set when nothing more is to be read: a fatal fault, or the limit of addresses. */
  isClosed = false
  private readonly faults = new Map<SitemapProblemKind, SitemapProblem>()
  private readonly seen = new Set<string>()
  private characters = 0
  private readonly own: URL | null

  constructor(
    url: string,
    private readonly maxEntries: number
  ) {
    this.own = parseUrl(url, null)
  }

  get problems(): ReadonlyArray<SitemapProblem> {
    return [...this.faults.values()]
  }

  has(kind: SitemapProblemKind): boolean {
    return this.faults.has(kind)
  }

  /** Counts a fault; the first of a kind is the example. */
  fault(kind: SitemapProblemKind, line: number | null, detail: string | null = null): void {
    const first = this.faults.get(kind)
    this.faults.set(
      kind,
      first === undefined
        ? { kind, line, count: 1, detail: detail === null ? null : keep(detail, 200) }
        : { ...first, count: first.count + 1 }
    )
  }

  /** A fault after which nothing more is read. */
  fatal(kind: SitemapProblemKind, line: number | null, detail: string | null = null): void {
    this.fault(kind, line, detail)
    this.isClosed = true
  }

  /** Takes an address as written; it must be absolute, since a sitemap has no base. */
  add(written: string, lastmod: string | null, line: number, alternates: ReadonlyArray<string> = []): void {
    const location = written.trim()
    const url = location.length > maxUrl ? null : parseUrl(location, null)
    if (location === "") this.fault("missing_loc", line)
    else if (location.length > maxUrl) this.fault("loc_too_long", line, location)
    else if (url === null || !isWeb(url)) this.fault("invalid_loc", line, location)
    else if (this.entries.length + this.foreignCount >= this.maxEntries) this.fatal("too_many_urls", line)
    else this.file(url, lastmod, line, alternates)
  }

  private file(url: URL, lastmod: string | null, line: number, alternates: ReadonlyArray<string>): void {
    const found = keep(identity(url), maxUrl * 3)
    if (this.seen.has(found)) return
    this.seen.add(found)
    this.characters += found.length
    if (this.characters > maxCharacters) {
      this.fatal("too_large", line, `more than ${maxCharacters} characters of addresses`)
      return
    }
    const named = alternates.flatMap((each) => httpIdentity(each.trim(), plainBase(found)) ?? [])
    this.characters += named.reduce((sum, each) => sum + each.length, 0)
    const entry = {
      url: found,
      lastmod: lastmod === null || lastmod === "" ? null : keep(lastmod, maxLastmod),
      ...(named.length === 0 ? {} : { alternates: named })
    }
    if (this.own === null || sameSite(this.own, url)) {
      this.entries.push(entry)
      return
    }
    this.foreignCount++
    if (this.foreign.length < maxForeign) this.foreign.push(entry)
    this.fault("foreign_host", line, found)
  }
}
