import { afterAll, describe, expect } from "bun:test"
import * as Effect from "effect/Effect"
import { read } from "../../src/crawl/sitemap/Files.ts"
import type { Sitemap, SitemapProblemKind } from "../../src/crawl/sitemap/SitemapFacts.ts"
import { it } from "../harness.ts"
import { file, isMissing, summary } from "./folder.ts"

const name = "sitemaps"

interface Expected {
  readonly file: string
  /** A host of the file's URLs, so that none of them is foreign. */
  readonly host: string
  readonly kind: Sitemap["kind"]
  readonly format: Sitemap["format"]
  readonly entries: number
  readonly first: string | undefined
  readonly lastmod: string | null | undefined
  readonly problems: Array<SitemapProblemKind>
}

/** The expectations of the files' source: numbers of URLs, and malformed but readable ones. */
const expectations: ReadonlyArray<Expected> = [
  {
    file: "atom.xml",
    host: "http://example.org/",
    kind: "urls",
    format: "atom",
    entries: 1,
    first: "http://example.org/2003/12/13/atom03",
    lastmod: "2003-12-13T18:30:02Z",
    problems: []
  },
  {
    file: "sitemap.index.xml",
    host: "https://example.com/",
    kind: "index",
    format: "xml",
    entries: 15,
    first: "https://example.com/sitemap.jss?portalCode=10260&lang=en",
    lastmod: null,
    problems: ["missing_loc"]
  },
  {
    file: "sitemap.badns.xml",
    host: "http://www.example.com/",
    kind: "urls",
    format: "xml",
    entries: 2,
    first: "http://www.example.com/1",
    lastmod: null,
    problems: ["bad_namespace"]
  },
  {
    file: "sitemap.ns.xml",
    host: "http://www.example.com/",
    kind: "urls",
    format: "xml",
    entries: 2,
    first: "http://www.example.com/1",
    lastmod: null,
    problems: []
  },
  {
    file: "sitemap-with-bom.txt",
    host: "http://www.domain.com/",
    kind: "urls",
    format: "text",
    entries: 2,
    first: "http://www.domain.com/page1.html",
    lastmod: null,
    problems: []
  },
  {
    file: "sitemap.txt",
    host: "http://www.domain.com/",
    kind: "urls",
    format: "text",
    entries: 2,
    first: "http://www.domain.com/page1.html",
    lastmod: null,
    problems: []
  },
  {
    file: "sitemap.txt.gz",
    host: "http://www.example.com/",
    kind: "urls",
    format: "text",
    entries: 5,
    first: "http://www.example.com/",
    lastmod: null,
    problems: []
  },
  {
    file: "xmlSitemap.gz",
    host: "http://www.example.com/",
    kind: "urls",
    format: "xml",
    entries: 5,
    first: "http://www.example.com/",
    lastmod: "2005-01-01",
    problems: []
  },
  {
    file: "do-not-visit.txt",
    host: "http://www.example.com/",
    kind: "urls",
    format: "text",
    entries: 1,
    first: "http://www.example.com/do-not-visit-here",
    lastmod: null,
    problems: []
  }
]

describe.skipIf(isMissing(name))("the sitemap files", () => {
  let passed = 0
  for (const { file: path, host, ...expected } of expectations) {
    it(`${path} is parsed as its source parses it`, function* () {
      const bytes = yield* Effect.promise(() => file(`${name}/${path}`).bytes())
      const { entries, format, kind, problems } = yield* read(`${host}${path}`, bytes)
      expect({
        kind,
        format,
        entries: entries.length,
        first: entries[0]?.url,
        lastmod: entries[0]?.lastmod,
        problems: problems.map((problem) => problem.kind)
      }).toEqual(expected)
      passed++
    })
  }
  afterAll(() => summary(name, passed, expectations.length))
})
