import { describe, expect, test } from "bun:test"
import { gzipSync } from "node:zlib"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Stream from "effect/Stream"
import * as fc from "fast-check"
import { zipSync } from "fflate"
import { reader } from "../../../src/features/backlinks/BacklinkFile.ts"
import type { Format } from "../../../src/features/backlinks/Domain.ts"
import { unpacked } from "../../../src/features/backlinks/Unpack.ts"

const utf8 = new TextEncoder()

/** UTF-16 with a byte order mark, as Ahrefs writes it. */
const utf16 = (text: string) => new Uint8Array(Buffer.from(`\ufeff${text}`, "utf16le"))

/** Reads a whole file in chunks of a number of bytes. */
const read = (file: string | Uint8Array, format: Format = "auto", site = "www.example.com", piece = 1_000_000) => {
  const bytes = typeof file === "string" ? utf8.encode(file) : file
  const reading = reader(format, site)
  for (let at = 0; at < bytes.length; at += piece) {
    const problem = reading.push(bytes.subarray(at, at + piece), false)
    if (problem !== undefined) return problem
  }
  return reading.push(new Uint8Array(0), true) ?? reading.take()
}

const links = (file: string | Uint8Array, format?: Format, site?: string) => Object(read(file, format, site)).links
const domains = (file: string | Uint8Array, format?: Format, site?: string) => Object(read(file, format, site)).domains

describe("a file of backlinks", () => {
  test("from Search Console names linking pages, with or without a day", () => {
    const text =
      "Linking page,Last crawled\nhttps://peppol.org/members/,2026-09-28\nhttps://www.partnerdir.ae/uae#x,2026-09-21\n"
    expect(read(text)).toMatchObject({ of: "links", read: 2, source: "gsc-links" })
    expect(links(text)).toMatchObject([
      { root_domain: "peppol.org", source_domain: "peppol.org", source_url: "https://peppol.org/members/" },
      { source_domain: "partnerdir.ae", source_host: "www.partnerdir.ae", source_url: "https://www.partnerdir.ae/uae" }
    ])
    expect(links("Linking page\nhttps://example.org/1\nhttps://example.org/2\n")).toHaveLength(2)
    expect(links("Verweisende Seite;Zuletzt gecrawlt\nhttps://a.example/1;Sep 15, 2026\n")).toHaveLength(1)
    expect(links("https://a.example/1\nhttps://a.example/2\n")).toHaveLength(2)
  })

  test("from Search Console with top linking sites counts the links of domains, in any language", () => {
    const english = 'Site,Linking pages,Target pages\nsmall.example.org,3,1\nbig-blog.example.net,"1,240",12\n'
    expect(read(english)).toMatchObject({ of: "domains", source: "gsc-links" })
    expect(domains(english)).toMatchObject([
      { authority: null, domain: "small.example.org", reported_links: 3 },
      { domain: "big-blog.example.net", reported_links: 1240 }
    ])
    expect(domains("Website,Verweisende Seiten,Zielseiten\nspecimen-g.example,12,3\n")).toMatchObject([
      { reported_links: 12 }
    ])
    expect(domains("אתר,דפים מקשרים,דפי יעד\nקטן.example.org,3,1\n")).toMatchObject([
      { domain: "xn--debow.example.org", reported_links: 3 }
    ])
  })

  test("with target pages names no linking page and is refused", () => {
    expect(read('Target page,Incoming links,Linking sites\nhttps://plumber.example/,"2,100",80\n')).toEqual({
      line: 1,
      reason: expect.stringContaining("target pages without linking pages")
    })
  })

  test("from an SEO tool has targets, anchors, attributes and authority", () => {
    const ahrefs = [
      "Referring page URL\tDomain rating\tTarget URL\tAnchor\tNofollow",
      '"https://news.example.org/a"\t78\thttps://example.com/x\tRead "this"\ttrue',
      "https://blog.example.org/b\t12.5\thttps://example.com/\thttps://example.com\tfalse"
    ].join("\r\n")
    for (const file of [ahrefs, utf16(ahrefs)]) {
      expect(links(file)).toMatchObject([
        {
          anchor_text: 'Read "this"',
          rel: ["nofollow"],
          source_url: "https://news.example.org/a",
          target_url: "https://example.com/x"
        },
        { anchor_text: "https://example.com", rel: [], target_url: "https://example.com/" }
      ])
      expect(domains(file)).toMatchObject([
        { authority: 78, domain: "news.example.org", is_listed: false, root_domain: "example.org" },
        { authority: 12.5, domain: "blog.example.org" }
      ])
    }
    const semrush =
      "Page ascore,Source url,Target url,Anchor,Nofollow,First seen,Last seen,Lost link\n60,https://a.example/1,https://example.com/,x,true,2026-01-01,2026-09-01,false\n61,https://a.example/2,https://example.com/,x,false,2026-01-01,2026-09-01,true\n"
    expect(read(semrush)).toMatchObject({ links: [{ rel: ["nofollow"] }], reported_lost: 1, source: "semrush" })
    const majestic =
      "SourceURL,TargetURL,AnchorText,SourceTrustFlow,FlagNoFollow,LastSeenDate,DateLost,ReasonLost\nhttps://a.example/1,https://example.com/,x,44,1,2026-09-01,,\nhttps://a.example/2,https://example.com/,x,44,0,2026-09-01,2026-09-02,Gone\n"
    expect(read(majestic)).toMatchObject({ links: [{ rel: ["nofollow"] }], reported_lost: 1, source: "majestic" })
    expect(read("Root Domain,Domain Authority\na.example,91\n")).toMatchObject({
      domains: [{ authority: 91, domain: "a.example" }],
      source: "moz"
    })
    expect(read('\uFEFFAuthority,Links,Domain\r\n78,3,"News.Example.ORG."\r\n60.5,1,bücher.example\r\n')).toMatchObject(
      {
        domains: [
          { authority: 78, domain: "news.example.org", reported_links: 3 },
          { authority: 60.5, domain: "xn--bcher-kva.example" }
        ],
        source: "csv"
      }
    )
  })

  test("has its columns recognized by their cells, with any names", () => {
    const file =
      "Ziel,Woher\nhttps://example.com/a,https://other.example/1\nhttps://example.com/b,https://other.example/2\n"
    expect(links(file)).toMatchObject([
      { source_url: "https://other.example/1", target_url: "https://example.com/a" },
      { source_url: "https://other.example/2", target_url: "https://example.com/b" }
    ])
    expect(read(file, "ahrefs")).toMatchObject({ source: "ahrefs" })
  })

  test("counts the rows of the site itself", () => {
    const file =
      "Linking page\nhttps://example.com/a\nhttps://blog.example.com/\nhttps://other.example/\nhttps://notexample.com/\n"
    expect(read(file)).toMatchObject({ links: [{}, {}], own_host: 2, read: 4 })
  })

  test("gives a blog on a platform no part of the platform's domain", () => {
    expect(links("Linking page\nhttps://me.github.io/a\nhttps://news.bbc.co.uk/b\n")).toMatchObject([
      { root_domain: "me.github.io" },
      { root_domain: "bbc.co.uk" }
    ])
  })

  test.each([
    [
      "Linking page,Last crawled\nhttps://a.example/1,2026-01-01\nnone,2026-01-02\n",
      3,
      '"none" is not the URL of a page'
    ],
    ["Linking page\nnone\nhttps://a.example/1\n", 2, '"none" is not the URL of a page'],
    ["Linking page\nnone\nneither\n", 2, '"none" is not the URL of a page'],
    ["Linking page\nnone\n", 2, '"none" is not the URL of a page'],
    ["https://a.example/1\nnone\n", 2, '"none" is not the URL of a page'],
    ["Woher\nhttps://a.example/1\nb.example\n", 3, '"b.example" is not the URL of a page'],
    [
      "source_url,target_url\nnone,https://example.com/a\nhttps://a.example/1,https://example.com/b\n",
      2,
      '"none" is not the URL of a page'
    ],
    ["source_url,target_url\nnone,https://example.com/a\n", 2, '"none" is not the URL of a page'],
    ["Site,Linking pages,Target pages\na.example,3,1\na b,3,1\n", 3, '"a b" is not a domain name'],
    ["Wer\na.example\na b\n", 3, '"a b" is not a domain name'],
    ["domain,authority\na.example,5\nb.example,x\n", 3, '"x" is not an authority from 0 to 100']
  ])("with few rows names the line of a bad one: %j", (file, line, reason) => {
    expect(read(file)).toEqual({ line, reason })
  })

  test("is read in the given format, whatever its columns look like", () => {
    const file = "Page,Clicks\nhttps://other.example/1,12\nhttps://other.example/2,3\n"
    expect(read(file)).toMatchObject({ reason: expect.stringContaining("this table lists target pages") })
    for (const format of ["ahrefs", "csv", "majestic", "moz", "semrush"] as const)
      expect(read(file, format)).toMatchObject({ links: [{}, {}], source: format })
    expect(read(file, "gsc-links")).toMatchObject({
      reason: expect.stringContaining("this table lists target pages")
    })
    const sites = "Host,Traffic,Rank\na.example,12,3\nb.example,4,1\n"
    expect(domains(sites)).toMatchObject([{ reported_links: 12 }, { reported_links: 4 }])
    expect(domains(sites, "csv")).toMatchObject([{ reported_links: null }, { reported_links: null }])
  })

  test.each([
    ["", 0, "the file is empty"],
    ["domain,authority\n", 0, "the file has a header but no rows"],
    [
      "a,b\nc,d\n",
      1,
      "no column has URLs of linking pages or names of domains. Export the backlinks or referring domains table"
    ],
    ["domain,authority\na.example,5\nb.example,x\n", 3, '"x" is not an authority from 0 to 100'],
    ["domain,authority\na.example,101\n", 2, '"101" is not an authority from 0 to 100'],
    ["domain,authority\na.example,5\na b,5\n", 3, '"a b" is not a domain name'],
    ["Linking page\nhttps://a.example/\nhttps://a.example/2\nnone\n", 4, '"none" is not the URL of a page'],
    ['domain,authority\n"a.example,5\n', 2, "a quote has no closing quote"]
  ])("%p is refused in line %p: %s", (text, line, reason) => {
    expect(read(text)).toEqual({ line, reason })
  })

  test("gives the same result for chunks of any length, and never throws", () => {
    const cell = fc.constantFrom(
      "https://a.example/1",
      "https://example.com/",
      "a.example",
      "7",
      "",
      "x y",
      '"q""q"',
      "2026-01-01",
      "\0"
    )
    const table = fc.array(fc.array(cell, { maxLength: 4, minLength: 1 }), { maxLength: 70 })
    fc.assert(
      fc.property(table, fc.integer({ max: 40, min: 1 }), (rows, piece) => {
        const text = rows.map((row) => row.join(",")).join("\n")
        expect(read(text, "auto", "example.com", piece)).toEqual(read(text, "auto", "example.com"))
      })
    )
    fc.assert(fc.property(fc.string({ unit: "binary" }), (text) => read(text) !== null))
  })
})

describe("a compressed file of backlinks", () => {
  const text = `Linking page\n${Array.from({ length: 9000 }, (_, n) => `https://a.example/${n}`).join("\n")}\n`
  const unpack = (bytes: Uint8Array) =>
    Effect.runPromise(
      unpacked(
        Stream.fromIterable(
          Array.from({ length: Math.ceil(bytes.length / 1000) }, (_, at) => bytes.subarray(at * 1000, (at + 1) * 1000))
        )
      ).pipe(
        Stream.runFold("", (whole, piece) => whole + new TextDecoder().decode(piece)),
        Effect.either
      )
    )

  test("is decompressed from gzip and from ZIP", async () => {
    expect(await unpack(utf8.encode(text))).toEqual(Either.right(text))
    expect(await unpack(gzipSync(text))).toEqual(Either.right(text))
    expect(await unpack(zipSync({ "links.csv": utf8.encode(text), "read me.pdf": utf8.encode("x") }))).toEqual(
      Either.right(text)
    )
  })

  test("is refused when it is damaged, has several tables or none, or decompresses to too much", async () => {
    const reason = async (bytes: Uint8Array) =>
      Either.match(await unpack(bytes), { onLeft: (error) => error.reason, onRight: () => "read" })
    expect(await reason(new Uint8Array(gzipSync(text)).slice(0, 2000))).toContain("damaged")
    expect(await reason(zipSync({ "a.csv": utf8.encode(text), "b.csv": utf8.encode(text) }))).toContain(
      "several tables"
    )
    expect(await reason(zipSync({ "a.pdf": utf8.encode(text) }))).toContain("no table")
    expect(await reason(new Uint8Array(gzipSync(new Uint8Array(80_000_000))))).toContain("far too large")
  })
})
