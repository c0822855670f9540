import { describe, expect, spyOn, test } from "bun:test"
import * as fc from "fast-check"
import { crawlDelay, match, RuleIndex } from "../../../src/crawl/robots/Match.ts"
import { compile, parse, prefixOf, type RobotsTxt } from "../../../src/crawl/robots/Parse.ts"

const bytes = (text: string) => new TextEncoder().encode(text)

const read = (...lines: ReadonlyArray<string>) => parse(bytes(lines.join("\n")))

const allows = (robots: RobotsTxt, path: string, token = "FindableBot") => match(robots, token, path).allowed

describe("which group holds", () => {
  test("the groups of one agent are merged, wherever they stand", () => {
    const robots = read(
      "User-agent: FindableBot",
      "Disallow: /a",
      "User-agent: x",
      "Disallow: /",
      "User-agent: findablebot",
      "Disallow: /b"
    )
    expect([allows(robots, "/a"), allows(robots, "/b"), allows(robots, "/c")]).toEqual([false, false, true])
  })

  test("the default group holds only for agents that are not named", () => {
    const robots = read("User-agent: *", "Disallow: /", "User-agent: FindableBot", "Disallow: /a")
    expect([allows(robots, "/b"), allows(robots, "/b", "OtherBot")]).toEqual([true, false])
  })

  test("a named group without rules allows everything", () => {
    expect(allows(read("User-agent: *", "Disallow: /", "User-agent: FindableBot"), "/b")).toBe(true)
  })

  test("sitemaps, delays and unknown lines between agents do not part them from their rules", () => {
    for (const line of ["Sitemap: https://a.example/s.xml", "Crawl-delay: 3", "Nonsense: 1", "", "# note"]) {
      expect(allows(read("User-agent: FindableBot", line, "User-agent: other", "Disallow: /"), "/x")).toBe(false)
    }
  })

  test("the verdict says how a group came about whose agents have other lines between them", () => {
    const why = (...lines: ReadonlyArray<string>) => match(read(...lines), "x", "/").rule?.joined
    expect(why("User-agent: *", "Crawl-delay: 10", "", "# Bad bots", "User-agent: BadBot", "Disallow: /")).toBe(
      'Google reads lines 1 to 6 as one group of *, BadBot: line 2 "Crawl-delay: 10" does not end the group'
    )
    expect(why("User-agent: *", "Sitemap: https://a.example/s.xml", "Alow: /", "User-agent: b", "Disallow: /")).toBe(
      'Google reads lines 1 to 5 as one group of *, b: line 2 "Sitemap: https://a.example/s.xml", line 3 "Alow: /" do not end the group'
    )
    expect(why("user-agent: x", "  ", "user-agent: b", "Allow: /b", "Disallow: /")).toBe(
      "Google reads lines 1 to 5 as one group of x, b: line 2 (blank) does not end the group"
    )
    const many = ["a", "b", "c", "x", "d", "e", "f"].flatMap((name) => [`User-agent: ${name}`, "Crawl-delay: 1"])
    expect(why(...many, "Disallow: /")).toBe(
      'Google reads lines 1 to 15 as one group of a, b, c, x, 2 more, f: line 2 "Crawl-delay: 1", line 4 "Crawl-delay: 1", line 6 "Crawl-delay: 1" and 3 more do not end the group'
    )
  })

  test("the verdict says nothing of the kind where agents follow one another, or a rule ends the group", () => {
    for (const lines of [
      ["User-agent: *", "User-agent: b", "Crawl-delay: 5", "Disallow: /"],
      ["User-agent: *", "# other", "User-agent: b", "Disallow: /"],
      ["User-agent: *", "Crawl-delay: 5", "User-agent: *", "Disallow: /"],
      ["User-agent: *", "Disallow: /", "Crawl-delay: 5", "User-agent: b", "Disallow: /"]
    ]) {
      expect(match(read(...lines), "x", "/").rule).toEqual({
        line: lines.indexOf("Disallow: /") + 1,
        text: "Disallow: /",
        group: "*"
      })
    }
  })

  test("an empty rule ends a group as any other", () => {
    const robots = read("User-agent: *", "Crawl-delay: 10", "Disallow:", "User-agent: BadBot", "Disallow: /")
    expect([allows(robots, "/"), allows(robots, "/", "BadBot")]).toEqual([true, false])
  })

  test("rules before the first agent belong to nobody", () => {
    expect(allows(read("Disallow: /", "User-agent: *", "Disallow: /a"), "/x")).toBe(true)
  })

  test("an agent is cut at the first character that no product token has", () => {
    const robots = read("User-agent: FindableBot/2.0 (+https://x)", "Disallow: /")
    expect([allows(robots, "/"), allows(robots, "/", "Findable")]).toEqual([false, true])
  })

  test("an empty product token is nobody's name", () => {
    expect(allows(read("User-agent: 1", "Disallow: /"), "/", "")).toBe(true)
  })
})

describe("which rule decides", () => {
  test("the longest pattern wins, and Allow wins a tie", () => {
    const robots = read("User-agent: *", "Disallow: /shop", "Allow: /shop/open", "Disallow: /tie", "Allow: /tie")
    expect([allows(robots, "/shop/open/1"), allows(robots, "/shop/x"), allows(robots, "/tie")]).toEqual([
      true,
      false,
      true
    ])
  })

  test("the verdict names the line as written, its number and the group's agent", () => {
    const robots = read("# rules", "User-agent: *", "", "  Disallow :  /private/*.pdf$   # not for you")
    expect(match(robots, "FindableBot", "https://a.example/private/x.pdf")).toEqual({
      allowed: false,
      rule: { line: 4, text: "Disallow :  /private/*.pdf$", group: "*" }
    })
    expect(match(robots, "FindableBot", "/private/x.pdf?q")).toEqual({ allowed: true, rule: null })
  })

  test("of equal lines the first is named", () => {
    const robots = read("User-agent: *", "Disallow: /a", "Disallow: /a")
    expect(match(robots, "FindableBot", "/a").rule?.line).toBe(2)
  })

  test("an empty Disallow forbids nothing", () => {
    expect(allows(read("User-agent: *", "Disallow:"), "/")).toBe(true)
  })

  test("an allowed index page allows its directory too", () => {
    const robots = read("User-agent: *", "Allow: /dir/index.html", "Disallow: /")
    expect(["/dir/", "/dir/index.html", "/dir/index.htm", "/dir/x"].map((path) => allows(robots, path))).toEqual([
      true,
      true,
      false,
      false
    ])
  })

  test("query strings belong to the path, fragments do not", () => {
    const robots = read("User-agent: *", "Disallow: /*?session=", "Disallow: /*top")
    expect(["/x?session=1", "/x#top", "/x"].map((path) => allows(robots, path))).toEqual([false, true, true])
    expect(allows(read("User-agent: *", "Disallow: /"), "https://a.example?q")).toBe(false)
  })

  test("percent-escapes compare without case, and bytes above ASCII compare escaped", () => {
    const robots = read("User-agent: *", "Disallow: /a%2fb", "Disallow: /ä")
    expect(["/a%2Fb", "/a%2fb", "/%C3%A4", "/a/b"].map((path) => allows(robots, path))).toEqual([
      false,
      false,
      false,
      true
    ])
  })
})

describe("how the bytes are read", () => {
  const lineEndings = ["\n", "\r", "\r\n"]

  test("every line ending ends a line, and lines are counted alike", () => {
    for (const end of lineEndings) {
      const robots = parse(bytes(["User-agent: *", "", "Disallow: /a", "Disallow: /b"].join(end)))
      expect(match(robots, "FindableBot", "/b").rule?.line).toBe(4)
    }
  })

  test("a byte order mark is skipped, whole or cut short, but only at the start", () => {
    for (const mark of [[0xef, 0xbb, 0xbf], [0xef, 0xbb], [0xef], []]) {
      expect(allows(parse(Uint8Array.of(...mark, ...bytes("User-agent: *\nDisallow: /"))), "/")).toBe(false)
    }
    const late = Uint8Array.of(...bytes("User-agent: *\n"), 0xef, 0xbb, 0xbf, ...bytes("Disallow: /"))
    expect(allows(parse(late), "/")).toBe(true)
  })

  test("a file in UTF-16 that says so is read as what it says", () => {
    const text = "\uFEFFUser-agent: *\nDisallow: /"
    const littleEndian = Uint8Array.from(
      [...text].flatMap((char) => [char.charCodeAt(0) & 255, char.charCodeAt(0) >> 8])
    )
    const bigEndian = Uint8Array.from([...text].flatMap((char) => [char.charCodeAt(0) >> 8, char.charCodeAt(0) & 255]))
    expect([allows(parse(littleEndian), "/"), allows(parse(bigEndian), "/")]).toEqual([false, false])
  })

  test("only the first 500 KiB count", () => {
    const filler = `${"# comment\n".repeat(51_200)}`
    const robots = parse(bytes(`User-agent: *\nDisallow: /a\n${filler}Disallow: /b\n`))
    expect([robots.truncated, allows(robots, "/a"), allows(robots, "/b")]).toEqual([true, false, true])
  })

  test("a line is cut after 16,663 bytes", () => {
    const long = `/${"a".repeat(17_000)}`
    const robots = read("User-agent: *", `Disallow: ${long}`)
    const kept = 2083 * 8 - 1 - "Disallow: ".length
    expect([allows(robots, long.slice(0, kept)), allows(robots, long.slice(0, kept - 1))]).toEqual([false, true])
  })

  test("misspelt keys, a forgotten colon and blanks around the key are forgiven", () => {
    const spellings = [
      "dissallow: /",
      "disalow: /",
      "diasllow: /",
      "disallaw: /",
      "disallow /",
      "Disallow : /",
      "DISALLOW:/"
    ]
    for (const line of spellings) expect([line, allows(read("user agent: *", line), "/")]).toEqual([line, false])
    expect(allows(read("useragent: *", "this disallow /"), "/")).toBe(true)
  })

  test("sitemaps are listed in order, whatever group they stand in", () => {
    const robots = read("Sitemap: https://a.example/1.xml", "User-agent: x", "site-map: /2.xml", "Sitemap /3.xml")
    expect(robots.sitemaps).toEqual(["https://a.example/1.xml", "/2.xml", "/3.xml"])
  })

  test("any bytes make a file, and any string a question", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), fc.string(), fc.string(), (file, token, url) => {
        const verdict = match(parse(file), token, url)
        return typeof verdict.allowed === "boolean"
      })
    )
  })
})

describe("the crawl delay", () => {
  test("is that of the agent's own lines, not of another agent in the same group", () => {
    const robots = read(
      "User-agent: a",
      "Crawl-delay: 1",
      "User-agent: b",
      "Crawl-delay: 2.5",
      "User-agent: c",
      "Disallow: /x"
    )
    expect(["a", "B", "c"].map((token) => crawlDelay(robots, token))).toEqual([1, 2.5, null])
    expect(allows(robots, "/x", "a")).toBe(false)
  })

  test("holds for all agents named together, also after their rules", () => {
    const robots = read("User-agent: a", "User-agent: b", "Disallow: /x", "Crawl-delay: 4")
    expect([crawlDelay(robots, "a"), crawlDelay(robots, "b")]).toEqual([4, 4])
  })

  test("comes from the default group only for agents that are not named", () => {
    const robots = read("User-agent: *", "Crawl-delay: 9", "Disallow: /x", "User-agent: a", "Disallow: /y")
    expect([crawlDelay(robots, "z"), crawlDelay(robots, "a")]).toEqual([9, null])
  })

  test("costs no more than the file is long, whatever the file says", () => {
    const agents = Array.from({ length: 18_000 }, () => "User-agent:a")
    const robots = read(...agents, ...Array.from({ length: 17_000 }, (_, at) => `Crawl-delay:${at % 100}`))
    expect(robots.crawlDelays).toHaveLength(1)
    expect(crawlDelay(robots, "a")).toBe(99)
  })

  test("is the longest of several, and nothing when it is no number", () => {
    expect(crawlDelay(read("User-agent: *", "Crawl-delay: 1", "Crawl-delay: 7", "Crawl-delay: 3"), "a")).toBe(7)
    expect(crawlDelay(read("User-agent: *", "Crawl-delay: soon"), "a")).toBeNull()
  })
})

/** The meaning of a pattern, by dynamic programming over every pair of positions. */
const means = (pattern: string, path: string): boolean => {
  const anchored = pattern.endsWith("$")
  const body = anchored ? pattern.slice(0, -1) : pattern
  let reached = new Set([0])
  for (const char of body) {
    const next = new Set<number>()
    for (const at of reached) {
      if (char === "*") for (let to = at; to <= path.length; to++) next.add(to)
      else if (path[at] === char) next.add(at + 1)
    }
    reached = next
  }
  return anchored ? reached.has(path.length) : reached.size > 0
}

const small = (alphabet: string, maxLength: number) =>
  fc.array(fc.constantFrom(...alphabet), { maxLength }).map((chars) => chars.join(""))

describe("a path pattern", () => {
  test("means what the definition of * and $ says, for all patterns and paths", () => {
    fc.assert(
      fc.property(small("ab/*$", 10), small("ab/$", 14), (pattern, path) => {
        expect([pattern, path, compile(pattern)(path)]).toEqual([pattern, path, means(pattern, path)])
      }),
      { numRuns: 5000 }
    )
  })

  test("takes a $ that is not last for itself", () => {
    expect([compile("/a$b")("/a$bc"), compile("/a$b")("/ab")]).toEqual([true, false])
  })

  test("does not overlap its first and last literal", () => {
    expect([compile("/aba*ba$")("/aba"), compile("/aba*ba$")("/ababa")]).toEqual([false, true])
  })

  test("is decided in one pass over the path, also when it was written to be slow", () => {
    const path = `/${"a".repeat(2000)}`
    const hostile = ["*a".repeat(8000), `${"*a".repeat(1000)}b`, `/${"a*".repeat(999)}aaab$`, `${"*".repeat(16_000)}b`]
    for (const pattern of hostile) {
      const matches = compile(pattern)
      const searches = spyOn(String.prototype, "indexOf")
      expect(matches(path)).toBe(false)
      const from = searches.mock.calls.map(([, at]) => at ?? 0)
      searches.mockRestore()
      // Each literal is sought once, behind the one before.
      expect(from.length).toBeLessThanOrEqual(pattern.split("*").length)
      expect(from).toEqual(from.toSorted((a, b) => a - b))
    }
  })
})

const letters = (...all: ReadonlyArray<string>) =>
  fc.array(fc.constantFrom(...all), { maxLength: 8 }).map((parts) => parts.join(""))

const indexed = (pattern: string) => ({ matches: compile(pattern), pattern, prefix: prefixOf(pattern) })

describe("the index of robots rules", () => {
  test("finds the rule that a walk over all of them finds", () => {
    fc.assert(
      fc.property(
        fc.array(letters("/", "a", "b", "*", "$"), { maxLength: 30 }),
        letters("/", "a", "b", "$"),
        (patterns, path) => {
          const rules = patterns.map(indexed)
          expect(new RuleIndex(rules).first(path)).toBe(rules.find(({ matches }) => matches(path)))
        }
      ),
      { numRuns: 2_000 }
    )
  })

  test("compares a path with no rule whose literal prefix it has not", () => {
    const rules = Array.from({ length: 20_000 }, (_, at) => indexed(`/directory-${at}/*.html$`))
    expect(new RuleIndex(rules).cost("/directory-7/x.html")).toBe("/directory-7/x.html".length)
    expect(new RuleIndex(rules).cost("/elsewhere")).toBe(0)
  })
})
