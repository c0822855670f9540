import { describe, expect, test } from "bun:test"
import * as Effect from "effect/Effect"
import * as fc from "fast-check"
import { noDates, withDate } from "../../../src/crawl/sitemap/Dates.ts"
import * as Read from "../../../src/crawl/sitemap/Files.ts"
import type { Sitemap } from "../../../src/crawl/sitemap/SitemapFacts.ts"
import { it } from "../../harness.ts"

const at = "https://www.site.example/sitemap.xml"

const bytes = (text: string) => new TextEncoder().encode(text)

const read = (file: string | Uint8Array, options?: Read.SitemapOptions) =>
  Read.read(at, typeof file === "string" ? bytes(file) : file, options)

const declaration = '<?xml version="1.0" encoding="UTF-8"?>'

const namespace = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'

const urlset = (inside: string) => `${declaration}\n<urlset ${namespace}>${inside}</urlset>`

const index = (inside: string) => `${declaration}\n<sitemapindex ${namespace}>${inside}</sitemapindex>`

const entry = (loc: string, rest = "") => `<url><loc>${loc}</loc>${rest}</url>`

const page = (name: string | number) => `https://www.site.example/${name}`

const urls = ({ entries }: Sitemap) => entries.map(({ url }) => url)

const faults = ({ problems }: Sitemap) => problems.map(({ kind }) => kind)

const gzip = (file: Uint8Array) => Bun.gzipSync(Uint8Array.from(file))

/** One behaviour: reads a file and checks the result. */
const reads = (
  name: string,
  file: string | Uint8Array,
  check: (sitemap: Sitemap) => void,
  options?: Read.SitemapOptions
) => it(name, () => Effect.map(read(file, options), check))

describe("a sitemap in XML", () => {
  reads(
    "lists its URLs in order, with the dates as written",
    urlset(
      `${entry(` ${page("a?x=1&amp;y=2#f")}\n`, "<lastmod> 2005-01-01 </lastmod>")}${entry(page("b"))}${entry(page("a?x=1&amp;y=2"))}`
    ),
    (sitemap) => {
      expect(sitemap).toMatchObject({ kind: "urls", format: "xml", complete: true, problems: [] })
      expect(sitemap.entries).toEqual([
        { url: page("a?x=1&y=2"), lastmod: "2005-01-01" },
        { url: page("b"), lastmod: null }
      ])
    }
  )

  reads(
    "uses loc elements of its own namespace only",
    urlset(
      `<url><loc>${page("a")}</loc><image:image><image:loc>${page("i.png")}</image:loc></image:image><other><loc>${page("x")}</loc></other></url>`
    ),
    (sitemap) => expect(urls(sitemap)).toEqual([page("a")])
  )

  reads(
    "may have a namespace prefix",
    `<s:urlset xmlns:s="http://www.sitemaps.org/schemas/sitemap/0.9"><s:url><s:loc>${page("a")}</s:loc></s:url>${entry(page("b"))}</s:urlset>`,
    (sitemap) => {
      expect(urls(sitemap)).toEqual([page("a")])
      expect(faults(sitemap)).toEqual([])
    }
  )

  reads(
    "is read in spite of a wrong namespace, which is an issue",
    `<urlset xmlns="urn:other">${entry(page("a"))}</urlset>`,
    (sitemap) => {
      expect(urls(sitemap)).toEqual([page("a")])
      expect(sitemap.problems).toEqual([{ kind: "bad_namespace", line: 1, count: 1, detail: "urn:other" }])
    }
  )

  reads(
    "has its text joined from entities, character data and nested elements",
    urlset(`<url><loc><url>${page("a")}<![CDATA[?x=1&y=2]]></url></loc><lastmod>2004&#43;01</lastmod></url>`),
    (sitemap) => expect(sitemap.entries).toEqual([{ url: page("a?x=1&y=2"), lastmod: "2004+01" }])
  )

  reads(
    "is read after a byte order mark and blank lines, which are an issue",
    `\uFEFF\n \n${urlset(entry("/relative"))}`,
    (sitemap) => {
      expect(sitemap.complete).toBe(true)
      expect(sitemap.problems).toEqual([
        {
          kind: "blank_before_xml",
          line: 3,
          column: 1,
          count: 1,
          detail: "white space before <?xml",
          text: declaration
        },
        { kind: "invalid_loc", line: 4, count: 1, detail: "/relative" }
      ])
    }
  )

  for (const [name, blank] of [
    ["a space", " "],
    ["a second byte order mark", "\uFEFF\uFEFF"],
    ["line breaks of Windows", "\r\n\r\n"],
    ["many blank lines", "\n".repeat(70_000)]
  ] as const) {
    reads(`is read after ${name}, which is an issue`, `${blank}${urlset(entry(page("a")))}`, (sitemap) =>
      expect([...urls(sitemap), ...faults(sitemap)]).toEqual([page("a"), "blank_before_xml"])
    )
  }

  for (const [name, file] of [
    ["a byte order mark", `\uFEFF${urlset(entry(page("a")))}`],
    ["blank space without a declaration", `\n\n${urlset(entry(page("a"))).slice(declaration.length)}`],
    ["a comment without a declaration", `<!-- <?xml --><urlset ${namespace}>${entry(page("a"))}</urlset>`],
    ["blank space after its end", `${urlset(entry(page("a")))}\n\n <!-- cached --> \n`]
  ] as const) {
    reads(`is valid with ${name}`, file, (sitemap) =>
      expect([...urls(sitemap), ...faults(sitemap), sitemap.complete]).toEqual([page("a"), true])
    )
  }

  reads(
    "is read with an undeclared prefix, whose first place is an issue",
    urlset(
      `\n${entry(page("a"))}\n${entry(page("b"), '<xhtml:link rel="alternate" hreflang="de" href="/b"/><image:image/>')}`
    ),
    (sitemap) => {
      expect(urls(sitemap)).toEqual([page("a"), page("b")])
      expect(sitemap).toMatchObject({
        complete: true,
        problems: [{ kind: "undeclared_prefix", line: 4, count: 2, detail: "xmlns:xhtml is missing for xhtml:link" }]
      })
    }
  )

  reads(
    "may declare a prefix on the element or around it",
    `<urlset ${namespace} xmlns:image="urn:i"><url><loc>${page("a")}</loc><image:image xml:lang="de"><v:x xmlns:v="urn:v" v:y="1"><v:z/></v:x></image:image></url></urlset>`,
    (sitemap) => expect(faults(sitemap)).toEqual([])
  )

  reads(
    "marks news articles",
    urlset(
      `${entry(page("a"), '<news:news xmlns:news="urn:n"><news:title>T</news:title></news:news>')}${entry(page("b"))}`
    ),
    ({ entries }) => expect(entries.map(({ isNews }) => isNews)).toEqual([true, undefined])
  )

  reads(
    "counts invalid URLs, and shows the first",
    urlset(
      `${entry("/x")}${entry("mailto:a@b.c")}${entry("")}<url/>${entry(page("a".repeat(2048)))}${entry(page("b"))}`
    ),
    (sitemap) => {
      expect(urls(sitemap)).toEqual([page("b")])
      expect(sitemap.problems.map(({ count, kind }) => [kind, count])).toEqual([
        ["invalid_loc", 2],
        ["missing_loc", 2],
        ["loc_too_long", 1]
      ])
    }
  )

  reads(
    "lists other hosts and ports separately, while www. and the scheme do not matter",
    urlset(
      ["http://site.example/1", page(2), "https://cdn.site.example/3", "https://www.site.example:8443/4"]
        .map((loc) => entry(loc))
        .join("")
    ),
    (sitemap) => {
      expect(urls(sitemap)).toEqual(["http://site.example/1", page(2)])
      expect(sitemap.foreign.map(({ url }) => url)).toEqual([
        "https://cdn.site.example/3",
        "https://www.site.example:8443/4"
      ])
      expect([sitemap.foreignCount, ...faults(sitemap)]).toEqual([2, "foreign_host"])
    }
  )

  reads(
    "is read in its declared encoding",
    Buffer.from(`<?xml version="1.0" encoding="ISO-8859-1"?><urlset>${entry(page("caf\xe9"))}</urlset>`, "latin1"),
    (sitemap) => expect(urls(sitemap)).toEqual([page("caf%C3%A9")])
  )

  reads("is read in UTF-16", Buffer.from(`\uFEFF${urlset(entry(page("a")))}`, "utf16le"), (sitemap) =>
    expect(urls(sitemap)).toEqual([page("a")])
  )

  reads(
    "is an issue with bytes that are no text",
    Uint8Array.of(...bytes(urlset(entry(page("a"))).slice(0, -9)), 0xff, ...bytes("</urlset>")),
    (sitemap) => expect(faults(sitemap)).toEqual(["bad_encoding"])
  )
})

describe("a sitemap index", () => {
  reads(
    "lists sitemaps",
    index(`<sitemap><loc>${page("1.xml.gz")}</loc><lastmod>2004-10-01</lastmod></sitemap>`),
    (sitemap) => {
      expect(sitemap.kind).toBe("index")
      expect(sitemap.entries).toEqual([{ url: page("1.xml.gz"), lastmod: "2004-10-01" }])
    }
  )

  reads(
    "may lack the end of an entry, or the loc element of its URL",
    index(
      `<sitemap><loc>${page(1)}</loc><lastmod>A</lastmod><loc>${page(2)}</loc><loc>${page(3)}</loc><lastmod>C</lastmod></sitemap><sitemap>\n${page(4)}\n</sitemap>`
    ),
    (sitemap) => {
      expect(sitemap.entries.map(({ lastmod, url }) => [url, lastmod])).toEqual([
        [page(1), "A"],
        [page(2), null],
        [page(3), "C"],
        [page(4), null]
      ])
      expect(faults(sitemap)).toEqual(["invalid_lastmod", "missing_loc"])
    }
  )

  reads(
    "is an issue within another sitemap index",
    index(`<sitemap><loc>${page(1)}</loc></sitemap>`),
    (sitemap) => {
      expect(faults(sitemap)).toEqual(["nested_index"])
      expect([sitemap.entries.length, sitemap.complete]).toEqual([0, false])
    },
    { insideIndex: true }
  )
})

describe("a broken sitemap file", () => {
  reads(
    "keeps URLs from before the error, and names the line",
    urlset(`\n${entry(page("a"))}\n${entry(page("b"))}</url>${entry(page("c"))}`),
    (sitemap) => {
      expect(urls(sitemap)).toEqual([page("a"), page("b")])
      expect(sitemap).toMatchObject({ complete: false, problems: [{ kind: "malformed_xml", line: 4 }] })
    }
  )

  reads(
    "names the last line with content if an ampersand breaks it",
    urlset(`\n${entry(page("a"))}\n${entry(page("b?x=1&y=2"))}\n\n`),
    (sitemap) => {
      expect(urls(sitemap)).toEqual([page("a")])
      expect(sitemap.problems.find(({ kind }) => kind === "malformed_xml")?.line).toBe(4)
    }
  )

  reads(
    "names and shows the line of an unescaped ampersand among 5,000 entries",
    `${declaration}\n<urlset ${namespace}>\n${Array.from({ length: 5000 }, (_, index) => `  <url>\n    <loc>${page(`p?a=${index}${index === 4104 ? "&" : "&amp;"}b=2`)}</loc>\n  </url>\n`).join("")}</urlset>`,
    (sitemap) => {
      expect(sitemap.entries.length).toBe(4104)
      expect(sitemap.problems).toEqual([
        {
          kind: "malformed_xml",
          line: 12_316,
          column: 43,
          count: 1,
          detail: "an unescaped &: write &amp;",
          text: `<loc>${page("p?a=4104&b=2")}</loc>`
        }
      ])
    }
  )

  const inside = (text: string) => `${entry(page("a"))}\n${text}\n${entry(page("c"))}\n`
  for (const [name, line, sign, detail] of [
    ["a bare ampersand", entry(page("b & c")), "& c", "an unescaped &: write &amp;"],
    ["an ampersand without an end", entry(page("b&")), "&<", "an unescaped &: write &amp;"],
    ["an ampersand after valid ones", entry(page("b?a=1&amp;b=&#50;&c=3")), "&c=3", "an unescaped &: write &amp;"],
    ["an ampersand in an attribute", entry(page("b"), '<x href="?a=1&b=2"/>'), "&b=2", "an unescaped &: write &amp;"],
    ["an entity of HTML", entry(page("b&nbsp;c")), "&nbsp;", "the entity &nbsp; is not declared"],
    ["an invalid character reference", entry(page("b&#0;c")), "&#0;", "&#0; is not a character that XML allows"],
    ["a bare <", entry(page("b<c")), "<c<", "an unescaped <: write &lt;"],
    ["a bare < before a blank", entry(page("b < c")), "< c", "an unescaped <: write &lt;"],
    ["a < in an attribute", entry(page("b"), '<x y="<"/>'), '<"', "an unescaped < in an attribute: write &lt;"],
    [
      "a wrong end tag",
      `<url><loc>${page("b")}</url>`,
      "</url>",
      "</url> where </loc> is expected: <loc> of line 3 is still open"
    ],
    [
      "a superfluous end tag",
      `${entry(page("b"))}</url>`,
      "</url>",
      "</url> where </urlset> is expected: <urlset> of line 2 is still open"
    ],
    ["a control character", entry(page("b\u0008c")), "\u0008", "the character U+0008, which XML does not allow"],
    ["an attribute twice", '<url a="1" a="2">', ">", "duplicate attribute: a"],
    ["an attribute without quotation marks", "<url a=1>", "1", "unquoted attribute value"],
    ["two hyphens in a comment", "<!-- a -- b -->", "-- b", "-- inside a comment"],
    ["a declaration inside", `<!-- ok -->${declaration}`, "<?", "an XML declaration inside the document"]
  ] as const) {
    for (const [ends, end] of [
      ["LF", "\n"],
      ["CRLF", "\r\n"],
      ["CR", "\r"]
    ] as const) {
      reads(
        `names line and column of ${name} with ${ends} line ends`,
        urlset(inside(line)).replaceAll("\n", end),
        (sitemap) => {
          const found = sitemap.problems.find(({ kind }) => kind === "malformed_xml")
          expect(urls(sitemap)[0]).toBe(page("a"))
          expect(faults(sitemap)).not.toContain("missing_loc")
          expect(found).toMatchObject({ line: 3, column: line.lastIndexOf(sign) + 1, detail })
          expect(found?.text).toBe(line.replace("\u0008", "\uFFFD"))
        }
      )
    }
  }

  for (const [name, tail, line, detail] of [
    ["text after its root", "\n<!-- ok -->\n  Notice: x", 5, "text outside the root element"],
    ["a notice after its root", "\n\n<br />\n<b>Notice</b>", 5, "an element after the root element"]
  ] as const) {
    reads(`is read up to ${name}`, `${urlset(`\n${entry(page("a"))}`)}${tail}`, (sitemap) => {
      expect(urls(sitemap)).toEqual([page("a")])
      expect(sitemap.problems).toMatchObject([{ kind: "malformed_xml", line, detail }])
    })
  }

  for (const [name, file, line, detail] of [
    [
      "in a URL",
      `${urlset(`\n${entry(page("a"))}\n<url><loc>${page("b")}`).slice(0, -11)}\n`,
      4,
      "the file ends before </loc>"
    ],
    ["in a tag", `${declaration}\n<urlset ${namespace}>\n${entry(page("a"))}\n<url><lo`, 4, "a tag without an end"],
    [
      "in a comment",
      `${declaration}\n<urlset ${namespace}>\n${entry(page("a"))}\n<!-- a &\n\n`,
      4,
      "a comment without an end"
    ],
    [
      "before its end tag",
      `${declaration}\n<urlset ${namespace}>\n${entry(page("a"))}\n\n\n`,
      3,
      "the file ends before </urlset>"
    ]
  ] as const) {
    reads(`names the line of its end if it is cut ${name}`, file, (sitemap) => {
      expect(urls(sitemap)).toEqual([page("a")])
      expect(sitemap.problems).toMatchObject([{ kind: "malformed_xml", line, detail }])
    })
  }

  for (const [name, ahead] of [
    ["a notice", "Notice: Undefined index in /var/www/a.php"],
    ["a notice in HTML", "<br />\n<b>Notice</b>: Undefined index<br />"],
    ["a comment before its declaration", "<!-- cached -->"]
  ] as const) {
    reads(
      `is not read after ${name}, and its first line is shown`,
      `${ahead}\n${urlset(entry(page("a")))}`,
      (sitemap) => {
        const [text = ""] = ahead.split("\n")
        expect(sitemap).toMatchObject({ format: "unknown", complete: false, entries: [] })
        expect(sitemap.problems).toMatchObject([{ kind: "text_before_xml", line: 1, column: 1, text }])
      }
    )
  }

  const oneLine = `${declaration}<urlset ${namespace}>${entry(page("x")).repeat(60_000)}${entry(page("b&c"))}${entry(page("d")).repeat(30_000)}</urlset>`
  reads("is shown around the error in a line of megabytes, with the column", oneLine, (sitemap) => {
    const [problem] = sitemap.problems
    expect(problem).toMatchObject({ line: 1, column: oneLine.indexOf("&") + 1 })
    expect(problem?.text?.length).toBeLessThan(210)
    expect(problem?.text).toContain(`${page("b&c")}</loc>`)
  })

  for (const [name, address] of [
    ["before", "https://ann:SECRETs@www.site.example/?a&b"],
    ["around", "https://ann:SECRE&Ts@www.site.example/"],
    ["far before", `https://ann:SECRETs@www.site.example/${"x".repeat(80)}?a&b`],
    ["longer than the excerpt around", `https://ann:${"SECRET".repeat(40)}&${"SECRET".repeat(60)}@www.site.example/`],
    ["without a scheme before", "ann:SECRETs@www.site.example/?a&b"]
  ] as const) {
    reads(`shows no password ${name} the error`, urlset(entry(address)), (sitemap) => {
      expect(faults(sitemap)).toContain("malformed_xml")
      expect(JSON.stringify(sitemap)).not.toContain("SECR")
    })
  }

  reads(
    "does not show a password in which it is cut",
    `${declaration}<urlset ${namespace}><url><loc>https://ann:SECRET`,
    (sitemap) => {
      expect(faults(sitemap)).toEqual(["malformed_xml"])
      expect(JSON.stringify(sitemap)).not.toContain("SECR")
    }
  )

  reads("keeps complete URLs if it is cut at its end", urlset(entry(page("a"))).slice(0, -15), (sitemap) => {
    expect(urls(sitemap)).toEqual([page("a")])
    expect([sitemap.complete, ...faults(sitemap)]).toEqual([false, "malformed_xml"])
  })

  for (const [name, file] of [
    [
      "an internal subset",
      `${declaration}<!DOCTYPE urlset [<!ENTITY t SYSTEM "file:///etc/passwd">]><urlset>${entry("&t;")}</urlset>`
    ],
    [
      "multiplying entities",
      `<!DOCTYPE urlset [<!ENTITY a "aa"><!ENTITY b "&a;&a;">]><urlset>${entry("&b;")}</urlset>`
    ],
    [
      "an external subset",
      `<!DOCTYPE urlset SYSTEM "http://attacker.example/x.dtd"><urlset>${entry(page("a"))}</urlset>`
    ]
  ] as const) {
    reads(`is refused with ${name} in a document type`, file, (sitemap) => {
      expect(faults(sitemap)).toEqual(["dtd_refused"])
      expect([sitemap.entries.length, sitemap.complete]).toEqual([0, false])
    })
  }

  reads(
    "is read without its inclusions",
    urlset('<url><loc><xi:include href="file:///etc/passwd" parse="text"/></loc></url>'),
    (sitemap) => expect([sitemap.entries.length, ...faults(sitemap)]).toEqual([0, "undeclared_prefix", "missing_loc"])
  )

  for (const [name, file] of [
    ["an HTML page", "<!DOCTYPE html><html><body>Not found</body></html>"],
    ["an HTML page without DOCTYPE", "<html><body>Not found"],
    ["other XML", "<note>x</note>"],
    ["prose", "this is a bogus sitemap"],
    ["JSON", '{"urls": []}']
  ] as const) {
    reads(`is no sitemap if it is ${name}`, file, (sitemap) => {
      expect(faults(sitemap)).toContain("not_a_sitemap")
      expect([sitemap.format, sitemap.complete]).toEqual(["unknown", false])
    })
  }

  reads("is an issue if it is empty", " \n", (sitemap) => expect(faults(sitemap)).toEqual(["empty"]))
})

describe("a sitemap in plain text", () => {
  reads(
    "has one URL per line, with any line ends",
    `\uFEFF${page(1)}\r\n\r\n ${page(2)} \r${page(3)}\nnot a url\n`,
    (sitemap) => {
      expect(sitemap).toMatchObject({ kind: "urls", format: "text", complete: true })
      expect(urls(sitemap)).toEqual([page(1), page(2), page(3)])
      expect(sitemap.problems).toEqual([{ kind: "invalid_loc", line: 5, count: 1, detail: "not a url" }])
    }
  )
})

describe("a sitemap that is a feed", () => {
  reads(
    "lists RSS items, by link or by guid",
    `\n<!-- a feed --><rss version="2.0"><channel><link>${page("main")}</link><atom:link href="${page("feed")}"/><item><link>${page("foo")}<![CDATA[?q=a&l=fr]]></link><guid isPermaLink="false">x</guid><pubDate>Sun, 06 Sep 2009 16:20:00 +0000</pubDate></item><item><guid>${page("guid")}</guid></item></channel></rss>`,
    (sitemap) => {
      expect(sitemap.format).toBe("rss")
      expect(sitemap.entries).toEqual([
        { url: page("foo?q=a&l=fr"), lastmod: "Sun, 06 Sep 2009 16:20:00 +0000" },
        { url: page("guid"), lastmod: null }
      ])
    }
  )

  reads(
    "lists RSS 1.0 items",
    `<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/"><channel><link>${page("c")}</link></channel><item><link>${page("i")}</link></item></rdf:RDF>`,
    (sitemap) => expect(urls(sitemap)).toEqual([page("i")])
  )

  reads(
    "lists the alternate link of each Atom entry",
    `<feed xmlns="http://www.w3.org/2005/Atom"><link href="${page("home")}"/><entry><link rel="edit" href="${page("e")}"/><link rel="alternate" href="${page("p")}"/><link href="${page("q")}"/><updated>2003-12-13</updated></entry></feed>`,
    (sitemap) => {
      expect(sitemap.format).toBe("atom")
      expect(sitemap.entries).toEqual([{ url: page("p"), lastmod: "2003-12-13" }])
    }
  )
})

describe("a sitemap in gzip", () => {
  const file = urlset(
    Array.from({ length: 3000 }, (_, number) => entry(page(`${number}-${Bun.hash(String(number))}`))).join("")
  )

  reads("is recognized by its first bytes", gzip(bytes(file)), (sitemap) => {
    expect([sitemap.entries.length, sitemap.complete, sitemap.decodedBytes]).toEqual([3000, true, file.length])
  })

  reads("gives the URLs read so far if it is truncated", gzip(bytes(file)).subarray(0, -5000), (sitemap) => {
    expect(sitemap.entries.length).toBeGreaterThan(100)
    expect([sitemap.complete, faults(sitemap).includes("gzip_broken")]).toEqual([false, true])
  })

  for (const [name, behind, problem] of [
    [
      "a comment of a cache",
      "<!-- cached -->",
      { detail: "15 bytes after the end of the gzip stream", text: "<!-- cached -->" }
    ],
    ["a line break", "\n", { detail: "1 byte after the end of the gzip stream", text: "0a" }],
    ["zeros and text", "\0\0\0abc", { detail: "6 bytes after the end of the gzip stream", text: "abc" }],
    ["the beginning of a header", "\x1f", { detail: "1 byte after the end of the gzip stream", text: "1f" }]
  ] as const) {
    reads(
      `is read completely with ${name} after its end, which is an issue`,
      Buffer.concat([gzip(bytes(file)), bytes(behind)]),
      (sitemap) => {
        expect([sitemap.entries.length, sitemap.complete]).toEqual([3000, true])
        expect(sitemap.problems).toEqual([{ kind: "gzip_trailing", line: null, count: 1, ...problem }])
      }
    )
  }

  reads("may be padded with zeros", Buffer.concat([gzip(bytes(file)), Buffer.alloc(10_240)]), (sitemap) =>
    expect([sitemap.entries.length, sitemap.complete, ...faults(sitemap)]).toEqual([3000, true])
  )

  reads(
    "may have several gzip members",
    Buffer.concat([file.slice(0, 50), file.slice(50, 999), "", file.slice(999)].map((part) => gzip(bytes(part)))),
    (sitemap) => expect([sitemap.entries.length, sitemap.complete, ...faults(sitemap)]).toEqual([3000, true])
  )

  reads("is no sitemap inside of gzip", gzip(gzip(bytes(file))), (sitemap) =>
    expect(sitemap).toMatchObject({
      complete: false,
      problems: [{ kind: "not_a_sitemap", detail: "gzip inside of gzip" }]
    })
  )

  reads("gives its URLs in spite of a wrong checksum, and is damaged", gzip(bytes(file)).fill(0, -8, -4), (sitemap) =>
    expect([sitemap.entries.length, sitemap.complete, ...faults(sitemap)]).toEqual([3000, false, "gzip_broken"])
  )

  reads("is no sitemap if its gzip is invalid", Uint8Array.of(0x1f, 0x8b, 1, 2, 3), (sitemap) =>
    expect([sitemap.entries.length, faults(sitemap).includes("gzip_broken"), sitemap.complete]).toEqual([
      0,
      true,
      false
    ])
  )

  test("is truncated at the limit if it would fill the memory", async () => {
    const bomb = gzip(bytes(`<urlset>${"<a></a>".repeat(3_000_000)}`))
    const sitemap = await Effect.runPromise(read(bomb, { maxBytes: 1 << 20 }))
    expect([faults(sitemap).includes("too_large"), sitemap.decodedBytes]).toEqual([true, 1 << 20])
  })
})

describe("sitemap limits", () => {
  reads(
    "end the reading at the maximum number of URLs",
    urlset(Array.from({ length: 12 }, (_, number) => entry(page(number))).join("")),
    (sitemap) => {
      expect([sitemap.entries.length, sitemap.complete, ...faults(sitemap)]).toEqual([10, false, "too_many_urls"])
    },
    { maxEntries: 10 }
  )

  reads(
    "end the reading at the maximum number of bytes",
    urlset(entry(page(1)) + entry(page(2))),
    (sitemap) => {
      expect(urls(sitemap)).toEqual([page(1)])
      expect([sitemap.complete, sitemap.decodedBytes, ...faults(sitemap)]).toEqual([false, 170, "too_large"])
    },
    { maxBytes: 170 }
  )

  for (const [name, inside] of [
    ["endless nesting", "<a>".repeat(100_000)],
    ["endless text", "x".repeat(2_000_000)],
    ["an endless name", `<${"a".repeat(2_000_000)}`]
  ] as const) {
    reads(`end the reading of ${name}`, `<urlset ${namespace}>${inside}`, (sitemap) =>
      expect(faults(sitemap)).toEqual(["malformed_xml"])
    )
  }

  it("let other fibers run in between", function* () {
    const fiber = yield* Effect.fork(
      read(urlset(Array.from({ length: 40_000 }, (_, number) => entry(page(number))).join("")))
    )
    yield* Effect.yieldNow()
    expect(fiber.unsafePoll()).toBeNull()
  })
})

describe("a sitemap of any bytes", () => {
  test("has a result, and the URLs it lists are on the host", async () => {
    const pieces = fc.constantFrom(
      "<urlset>",
      "<url>",
      "<loc>",
      page("a"),
      "</loc>",
      "</url>",
      "</urlset>",
      "&amp;",
      "&",
      "<",
      "<![CDATA[",
      "]]>",
      "<!--",
      "<sitemapindex>",
      "<sitemap>",
      "\n",
      " ",
      "<rss>",
      "<item>",
      "<link>",
      "</link>"
    )
    const files = fc.oneof(
      fc.array(pieces, { maxLength: 20 }).map((parts) => bytes(parts.join(""))),
      fc.uint8Array({ maxLength: 200 })
    )
    await fc.assert(
      fc.asyncProperty(files, fc.boolean(), async (file, isZipped) => {
        const sitemap = await Effect.runPromise(read(isZipped ? gzip(file) : file))
        expect(urls(sitemap).every((url) => new URL(url).hostname === "www.site.example")).toBe(true)
      }),
      { numRuns: 600 }
    )
  })
})

const of = (...written: ReadonlyArray<string | null>) =>
  written.reduce((dates, each, index) => withDate(dates, { url: `u${index}`, lastmod: each }), noDates)

test("one date is known as the only one until another date follows", () => {
  expect(of("2024-05-31", "2024-05-31")).toMatchObject({ dated: 2, only: "2024-05-31" })
  expect(of("2024-05-31", "2024-06-01", "2024-05-31")).toMatchObject({ dated: 3, only: null })
  expect(of("2024-05-31", null)).toMatchObject({ dated: 1, only: "2024-05-31" })
})

test("the latest date is kept with its URL, and a year or month means its first day", () => {
  expect(of("2024-05-31", "2031", "2030-12-31").latest).toEqual({
    url: "u1",
    written: "2031",
    millis: Date.UTC(2031, 0, 1)
  })
  expect(of("2031-02").latest?.millis).toBe(Date.UTC(2031, 1, 1))
  expect(of("2024-05-31T10:00:00+02:00").latest?.millis).toBe(Date.UTC(2024, 4, 31, 8))
  expect(of("Tue, 02 Jan 2024 03:04:05 GMT").latest?.millis).toBe(Date.UTC(2024, 0, 2, 3, 4, 5))
})

test("news articles are counted separately, because equal dates are normal for them", () => {
  const entries = [
    { url: "a", lastmod: "2024-05-31", isNews: true },
    { url: "b", lastmod: "2024-05-30" },
    { url: "c", lastmod: "2024-06-01", isNews: true },
    { url: "d", lastmod: null, isNews: true },
    { url: "e", lastmod: "2024-05-30" }
  ] as const
  expect(entries.reduce(withDate, noDates)).toEqual({
    dated: 2,
    only: "2024-05-30",
    news: 3,
    latest: { url: "c", written: "2024-06-01", millis: Date.UTC(2024, 5, 1) }
  })
})

test("a date that cannot be parsed is ignored", () => {
  expect(of("yesterday", "05/31/2999", "2999-02-30", "2999-05-31T10:00:00")).toEqual(noDates)
})
